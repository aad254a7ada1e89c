import type { SmsErrorCode } from '../../ports/sms-gateway.port';

/** What a LINK Mobility result code says in our terms. */
export interface LinkResult {
  status: 'unknown' | 'accepted' | 'sent' | 'delivered' | 'failed';
  errorCode: SmsErrorCode | null;
}

const QUEUED = [1005];
/** Sent to the operator, some of them also billed. 1010: the operator never told more. */
const SENT = [1000, 1008, 1010, 1011, 1012];
const DELIVERED = [1001, 1007];

/** What the table of codes says of a message that certainly does not arrive. */
const FAILED: Record<number, SmsErrorCode> = {
  1002: 'expired',
  1003: 'not_delivered',
  1004: 'recipient_unavailable',
  1006: 'not_delivered',
  1009: 'not_delivered',
};
/** Refusals, by the hundred that the table gives to a subject, but for the codes that it singles out. */
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
const SINGLED_OUT: Record<number, SmsErrorCode> = { 2105: 'recipient_blocked', 2107: 'recipient_unavailable' };

/**
 * Translates a result code of a send or of a delivery report. A code of the platform's or the operator's own trouble (0, 4,
 * 5, 106000), or one that is in no table, says nothing certain: the message may be on its way.
 */
export function linkResult(code: number): LinkResult {
  if (QUEUED.includes(code)) return { status: 'accepted', errorCode: null };
  if (SENT.includes(code)) return { status: 'sent', errorCode: null };
  if (DELIVERED.includes(code)) return { status: 'delivered', errorCode: null };
  const failure = FAILED[code] ?? SINGLED_OUT[code] ?? REFUSED[Math.floor(code / 100)];
  return failure ? { status: 'failed', errorCode: failure } : { status: 'unknown', errorCode: 'gateway_error' };
}
