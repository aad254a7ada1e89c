import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '@platform/audit';
import { CustomersOperatorModule } from '@domains/customers';
import { SmsDailyCount } from './entities/sms-daily-count.entity';
import { SmsMessage } from './entities/sms-message.entity';
import { SmsSettings } from './entities/sms-settings.entity';
import { SmsOperatorService } from './operator/sms-operator.service';

@Module({
  imports: [TypeOrmModule.forFeature([SmsSettings, SmsDailyCount, SmsMessage]), AuditModule, CustomersOperatorModule],
  providers: [SmsOperatorService],
  exports: [SmsOperatorService],
})
export class SmsOperatorModule {}
