import { Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { AuditModule } from '@app/audit';
import { AppConfig } from '@app/config';
import { createGateway } from './gateway/create-gateway';
import { SmsGateway } from './gateway/sms-gateway';
import { DeliveryReports } from './reports/delivery-reports';
import { ReportReferences } from './reports/report-references';
import { SmsSender } from './sending/sms-sender';
import { SmsStore } from './sending/sms-store';
import { SmsLog } from './sms-log';

/** SMS for the API: sending, the log, delivery reports. */
@Module({
  imports: [AuditModule],
  providers: [
    { provide: SmsGateway, inject: [AppConfig], useFactory: createGateway },
    DeliveryReports,
    ReportReferences,
    SmsLog,
    SmsSender,
    SmsStore,
  ],
  exports: [DeliveryReports, SmsLog, SmsSender],
})
export class SmsModule implements OnApplicationShutdown {
  constructor(@Inject(SmsGateway) private readonly gateway: SmsGateway) {}

  async onApplicationShutdown(): Promise<void> {
    await this.gateway.close();
  }
}
