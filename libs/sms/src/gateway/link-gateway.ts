import type { UpstreamClient, UpstreamReply } from '@app/upstream';
import { type GatewayAccount, HttpSmsGateway, type WrittenSms } from './http-sms-gateway';
import { linkResult } from './link-result';
import type { OutgoingSms, SendOutcome } from './sms-gateway';

/** Our account at LINK Mobility. */
export interface LinkAccount extends GatewayAccount {
  platformId: string;
  platformPartnerId: string;
  /** Gate for delivery reports; none are asked for without. */
  reportGate?: string;
}

/** LINK Mobility: JSON both ways, results as codes; delivery reports come to the gate and carry our reference. */
export class LinkGateway extends HttpSmsGateway {
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
      sourceTON: senderId.startsWith('+') ? 'MSISDN' : 'ALPHANUMERIC',
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
    const gatewayMessageId = typeof messageId === 'string' ? messageId : null;
    return { kind: 'taken', status: result.status === 'accepted' ? 'accepted' : 'sent', gatewayMessageId };
  }

  protected readRefused(reply: UpstreamReply): SendOutcome {
    const { resultCode } = reply.jsonObject() ?? {};
    return typeof resultCode === 'number' ? refusal(resultCode) : { kind: 'refused', errorCode: 'rejected' };
  }
}

function refusal(resultCode: number): SendOutcome {
  const { errorCode } = linkResult(resultCode);
  if (errorCode === 'gateway_refused_account') return { kind: 'unreachable', errorCode };
  return { kind: 'refused', errorCode: errorCode === null || errorCode === 'not_delivered' ? 'rejected' : errorCode };
}
