import { Module } from '@nestjs/common';
import { SmsModule as SmsDomainModule } from '@domains/sms';
import { DeliveryReportReceiver } from './delivery-report-receiver';
import { SmsController } from './sms.controller';

@Module({ imports: [SmsDomainModule], providers: [DeliveryReportReceiver], controllers: [SmsController] })
export class SmsApiModule {}
