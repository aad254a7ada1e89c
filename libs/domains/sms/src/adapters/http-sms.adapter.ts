import { UpstreamCallError, type UpstreamClient, type UpstreamReply } from '@platform/upstream';
import { type OutgoingSms, type SendOutcome, SmsGateway } from '../ports/sms-gateway.port';

/** The account at a gateway. */
export interface GatewayAccount {
  username: string;
  password: string;
}

/** A message in a gateway's own form. */
export interface WrittenSms {
  /** Below the gateway's base address. */
  path: string;
  contentType: string;
  body: string;
}

/**
 * Statuses that say for certain that nothing was done with a request (RFC 9110 §15.5, 6585). Not among them: 408 and 499,
 * after which a message may have gone on its way, 409, which a second one may get, and what proxies make up.
 */
const REFUSALS = new Set([
  400, 401, 402, 403, 404, 405, 406, 410, 411, 412, 413, 414, 415, 421, 422, 426, 428, 431, 451,
]);

/**
 * What the gateways have in common: one message per call, whatever happens. A try is repeated only when the one before
 * certainly sent nothing: it never left, or was turned away with the word when to come back.
 */
export abstract class HttpSmsAdapter extends SmsGateway {
  private readonly authorization: string;

  constructor(
    private readonly client: UpstreamClient,
    { username, password }: GatewayAccount,
  ) {
    super();
    this.authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  }

  async send(sms: OutgoingSms): Promise<SendOutcome> {
    const { path, contentType, body } = this.write(sms);
    const headers = { 'content-type': contentType, authorization: this.authorization, accept: 'application/json' };
    const request = { operation: 'send', path, headers, body, onBehalfOf: sms.customerId } as const;
    try {
      return await this.client.call({ ...request, method: 'POST', retry: 'turned_away' }, (reply) =>
        this.interpret(reply),
      );
    } catch (error) {
      if (error instanceof UpstreamCallError) return outcomeOf(error);
      throw error;
    }
  }

  /** The gateway's form of a message. */
  protected abstract write(sms: OutgoingSms): WrittenSms;

  /** The outcome that a reply of status 2xx tells. @throws UpstreamCallError if it tells none */
  protected abstract readAccepted(reply: UpstreamReply): SendOutcome;

  /** The outcome that a reply with one of the {@link REFUSALS} tells. */
  protected abstract readRefused(reply: UpstreamReply): SendOutcome;

  private interpret(reply: UpstreamReply): SendOutcome {
    const { status, retryAfterMs } = reply;
    if (reply.ok) return this.readAccepted(reply);
    if (status === 429 || (status === 503 && retryAfterMs !== undefined))
      return { kind: 'unreachable', errorCode: 'gateway_busy' };
    // A server or proxy that failed, or gave up waiting, may have done so after the message went on its way.
    if (!REFUSALS.has(status)) return { kind: 'unknown', errorCode: 'gateway_error' };
    if (status === 401 || status === 402 || status === 403)
      return { kind: 'unreachable', errorCode: 'gateway_refused_account' };
    return this.readRefused(reply);
  }
}

/** What a call without a usable reply means for the message. */
function outcomeOf({ reason, sent }: UpstreamCallError): SendOutcome {
  const timedOut = reason.startsWith('timeout');
  // A redirect too may come after the message was taken on.
  if (sent) return { kind: 'unknown', errorCode: timedOut ? 'gateway_timeout' : 'gateway_error' };
  if (reason === 'circuit_open') return { kind: 'unreachable', errorCode: 'gateway_down' };
  if (reason === 'busy') return { kind: 'unreachable', errorCode: 'gateway_busy' };
  return { kind: 'unreachable', errorCode: timedOut ? 'gateway_timeout' : 'gateway_unreachable' };
}
