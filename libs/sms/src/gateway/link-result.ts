import type { SmsErrorCode } from './sms-gateway';

/** What a LINK Mobility result code says in our terms. */
export interface LinkResult {
  status: 'unknown' | 'accepted' | 'sent' | 'delivered' | 'failed';
  errorCode: SmsErrorCode | null;
}

const QUEUED = [1005];
/** Sent to the operator, some of them also billed. 1010: the operator never told more. */
const SENT = [1000, 1008, 1010, 1011, 1012];
const DELIVERED = [1001, 1007];
/** The operator's own time-out or unknown error: delivered or not, nobody knows. */
const UNKNOWN = [4, 5];

const FAILURES: [from: number, to: number, code: SmsErrorCode][] = [
  [1002, 1002, 'expired'],
  [1004, 1004, 'recipient_unavailable'],
  [2000, 2099, 'invalid_sender'],
  [2105, 2105, 'recipient_blocked'],
  [2107, 2107, 'recipient_unavailable'],
  [2100, 2199, 'invalid_recipient'],
  [2200, 2299, 'recipient_blocked'],
  [3000, 4999, 'invalid_content'],
  [106_000, 106_999, 'gateway_refused_account'],
];

/** Translates a result code of a send or of a delivery report. */
export function linkResult(code: number): LinkResult {
  if (QUEUED.includes(code)) return { status: 'accepted', errorCode: null };
  if (SENT.includes(code)) return { status: 'sent', errorCode: null };
  if (DELIVERED.includes(code)) return { status: 'delivered', errorCode: null };
  if (UNKNOWN.includes(code)) return { status: 'unknown', errorCode: 'gateway_error' };
  const failure = FAILURES.find(([from, to]) => code >= from && code <= to);
  return { status: 'failed', errorCode: failure?.[2] ?? 'not_delivered' };
}
