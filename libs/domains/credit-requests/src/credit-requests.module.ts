import { Module } from '@nestjs/common';
import { BillingCalendarModule } from '@platform/time';
import { AiOverviewService } from './customer/ai-overview.service';
import { CreditRequestsService } from './customer/credit-requests.service';

@Module({
  imports: [BillingCalendarModule],
  providers: [CreditRequestsService, AiOverviewService],
  exports: [CreditRequestsService, AiOverviewService],
})
export class CreditRequestsModule {}
