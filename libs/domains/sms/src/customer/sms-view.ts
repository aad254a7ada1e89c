import type { SmsErrorCode } from '../ports/sms-gateway.port';
import type { SmsEncoding, SmsStatus } from '../sms-record';

/** A message as the customer sees it in the log. */
export interface SmsRow {
  id: string;
  /** E.164. */
  to: string;
  sender_id: string;
  message: string;
  status: SmsStatus;
  segments: number;
  encoding: SmsEncoding;
  error_code: SmsErrorCode | null;
  /** RFC 3339. */
  created_at: string;
  updated_at: string;
  /** When the handset received it. */
  delivered_at: string | null;
}

/** Columns that the customer sees. */
export const SMS_COLUMNS = `id, recipient as "to", sender_id, message, status, segments, encoding, error_code, created_at,
  updated_at, delivered_at`;
