import type { SmsErrorCode } from './gateway/sms-gateway';
import type { SmsEncoding, SmsStatus } from './sms-record';

/** A message as the customer sees it in the log. */
export interface SmsRecord {
  id: string;
  /** E.164. */
  to: string;
  senderId: string;
  message: string;
  status: SmsStatus;
  segments: number;
  encoding: SmsEncoding;
  errorCode: SmsErrorCode | null;
  createdAt: Date;
  updatedAt: Date;
  /** When the handset got it. */
  deliveredAt: Date | null;
}

/** A row of sms_message as the statements select it. */
export interface SmsRow {
  id: string;
  recipient: string;
  sender_id: string;
  message: string;
  status: SmsStatus;
  segments: number;
  encoding: SmsEncoding;
  error_code: SmsErrorCode | null;
  created_at: Date;
  updated_at: Date;
  delivered_at: Date | null;
}

/** What {@link toSmsRecord} needs selected. */
export const SMS_COLUMNS =
  'id, recipient, sender_id, message, status, segments, encoding, error_code, created_at, updated_at, delivered_at';

/** A row in the service's terms. */
export function toSmsRecord(row: SmsRow): SmsRecord {
  return {
    id: row.id,
    to: row.recipient,
    senderId: row.sender_id,
    message: row.message,
    status: row.status,
    segments: row.segments,
    encoding: row.encoding,
    errorCode: row.error_code,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    deliveredAt: row.delivered_at,
  };
}
