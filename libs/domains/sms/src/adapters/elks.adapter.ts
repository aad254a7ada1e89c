import type { UpstreamClient, UpstreamReply } from '@platform/upstream';
import type { DeliveryReport, OutgoingSms, SendOutcome, SmsErrorCode } from '../ports/sms-gateway.port';
import { type GatewayAccount, gatewayMessageId, HttpSmsAdapter, reportTime, type WrittenSms } from './http-sms.adapter';

/** 46elks: form requests, JSON replies, and delivery reports to an address that is sent with each message. */
export class ElksAdapter extends HttpSmsAdapter {
  readonly name = '46elks';

  /** @param reportsUrl base of the addresses that delivery reports are sent to, if they are wanted */
  constructor(
    client: UpstreamClient,
    account: GatewayAccount,
    private readonly reportsUrl: string | undefined,
  ) {
    super(client, account);
  }

  unsupported(): undefined {
    return undefined;
  }

  protected write({ senderId, to, message, reference }: OutgoingSms): WrittenSms {
    const form = new URLSearchParams({ from: senderId, to, message });
    if (this.reportsUrl !== undefined)
      form.set('whendelivered', `${this.reportsUrl}/sms/delivery-reports/46elks/${reference}`);
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

/**
 * Parses a delivery report of 46elks: a form, posted to the address that was sent with the message and ends in its
 * reference.
 * @returns undefined if it is not such a report
 */
export function readElksReport(reference: string, body: string): DeliveryReport | undefined {
  const form = new URLSearchParams(body);
  const [id, status] = [form.get('id'), form.get('status')];
  if (!id || (status !== 'sent' && status !== 'delivered' && status !== 'failed')) return undefined;
  return {
    reference,
    gatewayMessageId: gatewayMessageId(id),
    status,
    errorCode: status === 'failed' ? 'not_delivered' : null,
    deliveredAt: status === 'delivered' ? utcTime(form.get('delivered')) : null,
  };
}

/** Parses a time of 46elks: UTC with microseconds and no zone. */
function utcTime(text: string | null): Date | null {
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?/.exec(text ?? '')?.[0];
  return time === undefined ? null : reportTime(`${time}Z`);
}
