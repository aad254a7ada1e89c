import type { UpstreamClient, UpstreamReply } from '@platform/upstream';
import type { DeliveryReport, OutgoingSms, SendOutcome, SmsErrorCode } from '../ports/sms-gateway.port';
import { senderKind } from '../sender-rules';
import { type GatewayAccount, gatewayMessageId, HttpSmsAdapter, reportTime, type WrittenSms } from './http-sms.adapter';

/** The account at LINK Mobility. */
export interface LinkAccount extends GatewayAccount {
  platformId: string;
  platformPartnerId: string;
  /** Gate for delivery reports; without it, none are requested. */
  reportGate?: string;
}

/**
 * LINK Mobility: JSON requests and replies with result codes; delivery reports come to the gate and carry our
 * reference.
 */
export class LinkMobilityAdapter extends HttpSmsAdapter {
  readonly name = 'link-mobility';

  constructor(
    client: UpstreamClient,
    private readonly account: LinkAccount,
  ) {
    super(client, account);
  }

  unsupported(message: string): string | undefined {
    return /[\u{10000}-\u{10ffff}]/u.test(message)
      ? 'message must not contain emoji or other characters beyond U+FFFF: the SMS gateway cannot carry them'
      : undefined;
  }

  protected write({ senderId, to, message, reference }: OutgoingSms): WrittenSms {
    const { reportGate, platformId, platformPartnerId } = this.account;
    const body = {
      platformId,
      platformPartnerId,
      source: senderId,
      sourceTON: senderKind(senderId),
      destination: to,
      userData: message,
      refId: reference,
      ignoreResponse: false,
      useDeliveryReport: reportGate !== undefined,
      ...(reportGate === undefined ? {} : { deliveryReportGates: [reportGate] }),
    };
    return { path: '/sms/send', contentType: 'application/json', body: JSON.stringify(body) };
  }

  protected readAccepted(reply: UpstreamReply): SendOutcome {
    if (reply.status === 204) return { kind: 'taken', status: 'accepted', gatewayMessageId: null };
    const { messageId, resultCode } = reply.requireJsonObject();
    if (typeof resultCode !== 'number') throw reply.unusable('unexpected');
    const result = linkResult(resultCode);
    if (result.status === 'failed') return refusal(resultCode);
    if (result.status === 'unknown') return { kind: 'unknown', errorCode: 'gateway_error' };
    const status = result.status === 'accepted' ? 'accepted' : 'sent';
    return { kind: 'taken', status, gatewayMessageId: gatewayMessageId(messageId) };
  }

  protected readRefused(reply: UpstreamReply): SendOutcome {
    const { resultCode } = reply.jsonObject() ?? {};
    if (typeof resultCode !== 'number') return { kind: 'refused', errorCode: 'rejected' };
    // With 400 the result code decides; with any other status the message was not processed.
    const isCertain = reply.status !== 400 || linkResult(resultCode).status === 'failed';
    return isCertain ? refusal(resultCode) : { kind: 'unknown', errorCode: 'gateway_error' };
  }
}

function refusal(resultCode: number): SendOutcome {
  const { errorCode } = linkResult(resultCode);
  if (errorCode === 'gateway_refused_account') return { kind: 'unreachable', errorCode };
  const says =
    errorCode === null || errorCode === 'not_delivered' || errorCode === 'gateway_error' ? 'rejected' : errorCode;
  return { kind: 'refused', errorCode: says };
}

/**
 * Parses a delivery report of LINK Mobility: JSON, posted to the gate.
 * @returns undefined if it is not such a report
 */
export function readLinkReport(body: string): DeliveryReport | undefined {
  const { refId, id, resultCode, timestamp } = readJsonObject(body) ?? {};
  if (typeof refId !== 'string' || typeof resultCode !== 'number') return undefined;
  const result = linkResult(resultCode);
  return {
    reference: refId,
    gatewayMessageId: gatewayMessageId(id),
    status: result.status === 'accepted' ? 'unknown' : result.status,
    errorCode: result.errorCode,
    deliveredAt: result.status === 'delivered' && typeof timestamp === 'string' ? reportTime(timestamp) : null,
  };
}

/** The JSON object in a text, or nothing if there is none. */
function readJsonObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Not JSON: nothing, like JSON of another kind.
  }
  return undefined;
}

/** The meaning of a LINK Mobility result code. */
interface LinkResult {
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
