import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AppConfig } from '@platform/config';
import { IdempotencyModule } from '@platform/idempotency';
import { UpstreamClientsService, UpstreamModule } from '@platform/upstream';
import { createGateway } from './adapters/create-gateway';
import { SmsMessage } from './entities/sms-message.entity';
import { SmsGateway } from './ports/sms-gateway.port';
import { DeliveryReportsService } from './delivery-reports/delivery-reports.service';
import { ReportReferencesService } from './delivery-reports/report-references.service';
import { SmsOutcomeStoreService } from './customer/sms-outcome-store.service';
import { SmsSendingService } from './customer/sms-sending.service';
import { SmsLogService } from './customer/sms-log.service';

/** SMS for the API: sending, the log, delivery reports. */
@Module({
  imports: [TypeOrmModule.forFeature([SmsMessage]), IdempotencyModule, UpstreamModule],
  providers: [
    { provide: SmsGateway, inject: [AppConfig, UpstreamClientsService], useFactory: createGateway },
    DeliveryReportsService,
    ReportReferencesService,
    SmsLogService,
    SmsOutcomeStoreService,
    SmsSendingService,
  ],
  exports: [DeliveryReportsService, SmsLogService, SmsSendingService],
})
export class SmsModule {}
