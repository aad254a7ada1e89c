export { SmsDailyCount } from './entities/sms-daily-count.entity';
export { SmsMessage } from './entities/sms-message.entity';
export { SmsSettings } from './entities/sms-settings.entity';
export { SmsModule } from './sms.module';
export { SMS_MESSAGE_MAX, SMS_STATUSES, type SmsEncoding, type SmsStatus } from './sms-record';
