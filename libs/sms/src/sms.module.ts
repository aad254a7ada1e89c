import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { SmsDailyCount } from './entities/sms-daily-count.entity';
import { SmsMessage } from './entities/sms-message.entity';
import { SmsSettings } from './entities/sms-settings.entity';

/** SMS: settings, sending, the log. */
@Module({ imports: [TypeOrmModule.forFeature([SmsSettings, SmsDailyCount, SmsMessage])] })
export class SmsModule {}
