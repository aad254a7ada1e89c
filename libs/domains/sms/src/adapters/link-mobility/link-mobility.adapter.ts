import type { UpstreamClient, UpstreamReply } from '@platform/upstream';
import { gatewayMessageId } from '../gateway-message-id';
import { type GatewayAccount, HttpSmsAdapter, type WrittenSms } from '../http-sms.adapter';
import { linkResult } from './link-result';
import { senderKind } from '../../sender-rules';
import type { OutgoingSms, SendOutcome } from '../../ports/sms-gateway.port';

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
