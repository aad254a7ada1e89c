import type { ReadRow } from '@platform/database';
import type { SmsMessage } from '../entities/sms-message.entity';

/** Properties that the customer sees. */
export const SMS = [
  'id',
  'recipient',
  'senderId',
  'message',
  'status',
  'segments',
  'encoding',
  'errorCode',
  'createdAt',
  'updatedAt',
  'deliveredAt',
] as const satisfies (keyof SmsMessage)[];

/** The fields of a message that the customer sees. */
export type SmsRow = ReadRow<SmsMessage, (typeof SMS)[number]>;
