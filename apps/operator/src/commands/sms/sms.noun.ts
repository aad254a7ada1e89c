import type { Noun } from '../command';
import { smsConfigure } from './sms-configure.command';
import { smsLog } from './sms-log.command';

export const smsNoun: Noun = { name: 'sms', description: 'SMS of customers', commands: [smsConfigure, smsLog] };
