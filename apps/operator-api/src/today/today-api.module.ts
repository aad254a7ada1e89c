import { Module } from '@nestjs/common';
import { AiOperatorModule } from '@domains/ai';
import { CreditRequestsOperatorModule } from '@domains/credit-requests';
import { InvoicesOperatorModule, InvoiceSyncModule } from '@domains/invoices';
import { SmsOperatorModule } from '@domains/sms';
import { StatusOperatorModule } from '@domains/status';
import { SupportOperatorModule } from '@domains/support';
import { RefusalsOperatorModule } from '@platform/refusals';
import { TodayController } from './today.controller';
import { TodayService } from './today.service';

@Module({
  imports: [
    AiOperatorModule,
    CreditRequestsOperatorModule,
    InvoicesOperatorModule,
    InvoiceSyncModule,
    SmsOperatorModule,
    StatusOperatorModule,
    SupportOperatorModule,
    RefusalsOperatorModule,
  ],
  controllers: [TodayController],
  providers: [TodayService],
})
export class TodayApiModule {}
