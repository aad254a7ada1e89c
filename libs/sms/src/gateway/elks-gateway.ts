import { HttpSmsGateway, type HttpGatewaySettings } from './http-sms-gateway';
import type { CircuitBreaker } from './circuit-breaker';
import type { Post, Reply } from './post-once';
import { readJsonObject } from './read-json-object';
import type { OutgoingSms, SendOutcome } from './sms-gateway';

/** 46elks: a form goes out, JSON comes back, delivery reports come to an address that goes out with the message. */
export class ElksGateway extends HttpSmsGateway {
  readonly name = '46elks';

  /** @param reportUrl gives the address for the reports of the message with a reference, if they are wanted */
  constructor(
    settings: HttpGatewaySettings,
    circuit: CircuitBreaker,
    private readonly reportUrl: (reference: string) => string | undefined,
  ) {
    super(settings, circuit);
  }

  unsupported(): undefined {
    return undefined;
  }

  protected write({ senderId, to, message, reference }: OutgoingSms): Pick<Post, 'path' | 'headers' | 'body'> {
    const form = new URLSearchParams({ from: senderId, to, message });
    const reportUrl = this.reportUrl(reference);
    if (reportUrl !== undefined) form.set('whendelivered', reportUrl);
    return { path: '/a1/sms', headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: form.toString() };
  }

  protected readAccepted({ body }: Reply): SendOutcome {
    const { id, status } = readJsonObject(body) ?? {};
    if (typeof id !== 'string' || id === '') return { kind: 'unknown', errorCode: 'gateway_error' };
    if (status === 'failed') return { kind: 'refused', errorCode: 'rejected' };
    return {
      kind: 'taken',
      status: status === 'sent' || status === 'delivered' ? 'sent' : 'accepted',
      gatewayMessageId: id,
    };
  }

  /** The reason is a sentence for people that names the field. */
  protected readRefused({ body }: Reply): SendOutcome {
    if (/\bto\b/i.test(body)) return { kind: 'refused', errorCode: 'invalid_recipient' };
    if (/\bfrom\b/i.test(body)) return { kind: 'refused', errorCode: 'invalid_sender' };
    return { kind: 'refused', errorCode: 'rejected' };
  }
}
