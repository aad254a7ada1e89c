import type { UpstreamClient, UpstreamReply } from '@platform/upstream';
import { gatewayMessageId } from '../gateway-message-id';
import { type GatewayAccount, HttpSmsAdapter, type WrittenSms } from '../http-sms.adapter';
import type { OutgoingSms, SendOutcome, SmsErrorCode } from '../../ports/sms-gateway.port';

/** 46elks: form requests, JSON replies, and delivery reports to an address that is sent with each message. */
export class ElksAdapter extends HttpSmsAdapter {
  readonly name = '46elks';

  /**
   * @param reportUrl returns the address for delivery reports of a message with this reference, if reports are wanted
   */
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

  /** The reason is a sentence for people. It is evaluated only if it names one of our fields unambiguously. */
  protected readRefused({ body }: UpstreamReply): SendOutcome {
    const [, key] = /\bkey (to|from)\W*$/i.exec(body.toString()) ?? [];
    return {
      kind: 'refused',
      errorCode: key === undefined ? 'rejected' : (REFUSED_KEYS[key.toLowerCase()] ?? 'rejected'),
    };
  }
}

const REFUSED_KEYS: Partial<Record<string, SmsErrorCode>> = { to: 'invalid_recipient', from: 'invalid_sender' };
