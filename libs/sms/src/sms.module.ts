import { Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '@app/audit';
import { AppConfig } from '@app/config';
import { SmsDailyCount } from './entities/sms-daily-count.entity';
import { SmsMessage } from './entities/sms-message.entity';
import { SmsSettings } from './entities/sms-settings.entity';
import { createGateway } from './gateway/create-gateway';
import { SmsGateway } from './gateway/sms-gateway';
import { DeliveryReports } from './reports/delivery-reports';
import { ReportReferences } from './reports/report-references';
import { SmsSender } from './sending/sms-sender';
import { SmsStore } from './sending/sms-store';
import { SmsLog } from './sms-log';

/** SMS for the API: sending, the log, delivery reports. */
@Module({
  imports: [TypeOrmModule.forFeature([SmsSettings, SmsDailyCount, SmsMessage]), AuditModule],
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
