import type { SmsErrorCode } from '../../ports/sms-gateway.port';

/** The meaning of a LINK Mobility result code. */
export interface LinkResult {
  status: 'unknown' | 'accepted' | 'sent' | 'delivered' | 'failed';
  errorCode: SmsErrorCode | null;
}

const QUEUED = [1005];
/** Sent to the network operator; some of them also billed. 1010: no report from the network operator. */
const SENT = [1000, 1008, 1010, 1011, 1012];
const DELIVERED = [1001, 1007];

/** Codes of messages that certainly do not arrive. */
const FAILED: Record<number, SmsErrorCode> = {
  1002: 'expired',
  1003: 'not_delivered',
  1004: 'recipient_unavailable',
  1006: 'not_delivered',
  1009: 'not_delivered',
};
/** Refusals: each range of a hundred codes has one subject, except for the codes listed here. */
const REFUSED: Record<number, SmsErrorCode> = {
  20: 'invalid_sender',
  21: 'invalid_recipient',
  22: 'recipient_blocked',
  30: 'invalid_content',
  40: 'invalid_content',
  1061: 'gateway_refused_account',
  1062: 'gateway_refused_account',
  1063: 'gateway_refused_account',
};
const REFUSED_BY_CODE: Record<number, SmsErrorCode> = { 2105: 'recipient_blocked', 2107: 'recipient_unavailable' };

/**
 * Translates a result code of a send or of a delivery report. A code of a problem at LINK or the network operator (0,
 * 4, 5, 106000), or an unknown code, says nothing certain: the message may have been sent.
 */
export function linkResult(code: number): LinkResult {
  if (QUEUED.includes(code)) return { status: 'accepted', errorCode: null };
  if (SENT.includes(code)) return { status: 'sent', errorCode: null };
  if (DELIVERED.includes(code)) return { status: 'delivered', errorCode: null };
  const failure = FAILED[code] ?? REFUSED_BY_CODE[code] ?? REFUSED[Math.floor(code / 100)];
  return failure ? { status: 'failed', errorCode: failure } : { status: 'unknown', errorCode: 'gateway_error' };
}
