import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '@platform/audit';
import { MaintenanceOperatorModule } from '@platform/maintenance';
import { CustomersOperatorModule } from '@domains/customers';
import { SmsDailyCount } from './entities/sms-daily-count.entity';
import { SmsMessage } from './entities/sms-message.entity';
import { SmsSettings } from './entities/sms-settings.entity';
import { SmsGatewayCheckOperatorService } from './operator/sms-gateway-check-operator.service';
import { SmsOperatorService } from './operator/sms-operator.service';
import { SmsRetentionService } from './worker/sms-retention.service';
import { UnconfirmedSmsService } from './worker/unconfirmed-sms.service';

@Module({
  imports: [
    TypeOrmModule.forFeature([SmsSettings, SmsDailyCount, SmsMessage]),
    AuditModule,
    CustomersOperatorModule,
    MaintenanceOperatorModule,
  ],
  providers: [SmsGatewayCheckOperatorService, SmsOperatorService, SmsRetentionService, UnconfirmedSmsService],
  exports: [SmsOperatorService, SmsRetentionService, UnconfirmedSmsService],
})
export class SmsOperatorModule {}
