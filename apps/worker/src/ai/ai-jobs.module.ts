import { Module } from '@nestjs/common';
import { AiOperatorModule, ProcessLivenessModule } from '@domains/ai';
import { AbandonedReservations } from './abandoned-reservations';
import { AiJobs } from './ai-jobs';

@Module({ imports: [AiOperatorModule, ProcessLivenessModule], providers: [AiJobs, AbandonedReservations] })
export class AiJobsModule {}
