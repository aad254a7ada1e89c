import type { UpstreamClient, UpstreamReply } from '@platform/upstream';
import { gatewayMessageId } from '../gateway-message-id';
import { type GatewayAccount, HttpSmsAdapter, type WrittenSms } from '../http-sms.adapter';
import type { OutgoingSms, SendOutcome, SmsErrorCode } from '../../ports/sms-gateway.port';

/** 46elks: a form goes out, JSON comes back, delivery reports come to an address that goes out with the message. */
export class ElksAdapter extends HttpSmsAdapter {
  readonly name = '46elks';

  /** @param reportUrl gives the address for the reports of the message with a reference, if they are wanted */
  constructor(
    client: UpstreamClient,
    account: GatewayAccount,
    private readonly reportUrl: (reference: string) => string | undefined,
  ) {
    super(client, account);
  }

  unsupported(): undefined {
    return undefined;
  }

  protected write({ senderId, to, message, reference }: OutgoingSms): WrittenSms {
    const form = new URLSearchParams({ from: senderId, to, message });
    const reportUrl = this.reportUrl(reference);
    if (reportUrl !== undefined) form.set('whendelivered', reportUrl);
    return { path: '/a1/sms', contentType: 'application/x-www-form-urlencoded', body: form.toString() };
  }

  protected readAccepted(reply: UpstreamReply): SendOutcome {
    const { id, status } = reply.requireJsonObject();
    if (typeof id !== 'string' || id === '') throw reply.unusable('unexpected');
    if (status === 'failed') return { kind: 'refused', errorCode: 'rejected' };
    return {
      kind: 'taken',
      status: status === 'sent' || status === 'delivered' ? 'sent' : 'accepted',
      gatewayMessageId: gatewayMessageId(id),
    };
  }

  /** The reason is a sentence for people. Only the form that names a key of ours for certain is judged by. */
  protected readRefused({ body }: UpstreamReply): SendOutcome {
    const [, key] = /\bkey (to|from)\W*$/i.exec(body.toString()) ?? [];
    return {
      kind: 'refused',
      errorCode: key === undefined ? 'rejected' : (REFUSED_KEYS[key.toLowerCase()] ?? 'rejected'),
    };
  }
}

const REFUSED_KEYS: Partial<Record<string, SmsErrorCode>> = { to: 'invalid_recipient', from: 'invalid_sender' };
