import { Module } from '@nestjs/common';
import { AiCalendarModule } from '@app/ai';
import { AiOverview } from './ai-overview';
import { CreditRequests } from './credit-requests';

/** Customers' way to their credit requests and AI status. */
@Module({
  imports: [AiCalendarModule],
  providers: [CreditRequests, AiOverview],
  exports: [CreditRequests, AiOverview],
})
export class CreditRequestsModule {}
