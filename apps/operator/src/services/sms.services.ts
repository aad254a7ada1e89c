import { SmsOperatorModule, SmsOperatorService } from '@domains/sms';

export const modules = [SmsOperatorModule];
export const services = { sms: SmsOperatorService };
