import { Module } from '@nestjs/common';
import { AiOperatorModule, ProcessLivenessModule } from '@domains/ai';
import { AbandonedReservations } from './abandoned-reservations';
import { AiJobs } from './ai-jobs';
import { CreditMetrics } from './credit-metrics';
import { CreditVerification } from './credit-verification';

@Module({
  imports: [AiOperatorModule, ProcessLivenessModule],
  providers: [AiJobs, AbandonedReservations, CreditMetrics, CreditVerification],
})
export class AiJobsModule {}
