import { Module } from '@nestjs/common';
import { AppConfig } from '@app/config';
import { UpstreamClients, UpstreamModule } from '@app/upstream';
import { createGateway } from './gateway/create-gateway';
import { SmsGateway } from './gateway/sms-gateway';
import { DeliveryReports } from './reports/delivery-reports';
import { ReportReferences } from './reports/report-references';
import { ReportStore } from './reports/report-store';
import { SmsOutcomes } from './sending/sms-outcomes';
import { SmsSender } from './sending/sms-sender';
import { SmsStore } from './sending/sms-store';
import { SmsLog } from './sms-log';

/** SMS for the API: sending, the log, delivery reports. */
@Module({
  imports: [UpstreamModule],
  providers: [
    { provide: SmsGateway, inject: [AppConfig, UpstreamClients], useFactory: createGateway },
    DeliveryReports,
    ReportReferences,
    ReportStore,
    SmsLog,
    SmsOutcomes,
    SmsSender,
    SmsStore,
  ],
  exports: [DeliveryReports, SmsLog, SmsSender],
})
export class SmsModule {}
