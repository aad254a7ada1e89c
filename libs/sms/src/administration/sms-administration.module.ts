import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '@app/audit';
import { CustomersModule } from '@app/customers';
import { SmsDailyCount } from '../entities/sms-daily-count.entity';
import { SmsMessage } from '../entities/sms-message.entity';
import { SmsSettings } from '../entities/sms-settings.entity';
import { SmsAdministration } from './sms-administration';

/** The operator's way to SMS. */
@Module({
  imports: [TypeOrmModule.forFeature([SmsSettings, SmsDailyCount, SmsMessage]), AuditModule, CustomersModule],
  providers: [SmsAdministration],
  exports: [SmsAdministration],
})
export class SmsAdministrationModule {}
