import { Module } from '@nestjs/common';
import { SmsModule as SmsDomainModule } from '@domains/sms';
import { DeliveryReportReceiver } from './delivery-report-receiver';
import { SmsController } from './sms.controller';

/** `/sms`, and the delivery reports on the internal listener. */
@Module({ imports: [SmsDomainModule], providers: [DeliveryReportReceiver], controllers: [SmsController] })
export class SmsApiModule {}
