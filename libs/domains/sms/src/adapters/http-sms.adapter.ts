import { UpstreamCallError, type UpstreamClient, type UpstreamReply } from '@platform/upstream';
import { type OutgoingSms, type SendOutcome, SmsGateway } from '../ports/sms-gateway.port';

/** The account at a gateway. */
export interface GatewayAccount {
  username: string;
  password: string;
}

/** A message in a gateway's wire format. */
export interface WrittenSms {
  /** Path below the gateway's base address. */
  path: string;
  contentType: string;
  body: string;
}

/**
 * Statuses that say for certain that a request was not executed (RFC 9110 §15.5, 6585). Not among them: 408 and 499,
 * after which the message may have been sent; 409, which a repeated message may get; and statuses that proxies
 * generate.
 */
const REFUSALS = new Set([
  400, 401, 402, 403, 404, 405, 406, 410, 411, 412, 413, 414, 415, 421, 422, 426, 428, 431, 451,
]);

/**
 * The common part of the gateways: each call sends one message at most. A request is retried only if the one before
 * certainly sent nothing: there was no connection, or it was refused with a `Retry-After`.
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

  /** Converts a message to the gateway's wire format. */
  protected abstract write(sms: OutgoingSms): WrittenSms;

  /** The outcome according to a reply with status 2xx. @throws UpstreamCallError if the reply does not say */
  protected abstract readAccepted(reply: UpstreamReply): SendOutcome;

  /** The outcome according to a reply with one of the {@link REFUSALS}. */
  protected abstract readRefused(reply: UpstreamReply): SendOutcome;

  private interpret(reply: UpstreamReply): SendOutcome {
    const { status, retryAfterMs } = reply;
    if (reply.ok) return this.readAccepted(reply);
    if (status === 429 || (status === 503 && retryAfterMs !== undefined))
      return { kind: 'unreachable', errorCode: 'gateway_busy' };
    // A server or proxy that failed or timed out may have sent the message before.
    if (!REFUSALS.has(status)) return { kind: 'unknown', errorCode: 'gateway_error' };
    if (status === 401 || status === 402 || status === 403)
      return { kind: 'unreachable', errorCode: 'gateway_refused_account' };
    return this.readRefused(reply);
  }
}

/** The outcome of a call without a usable reply. */
function outcomeOf({ reason, sent }: UpstreamCallError): SendOutcome {
  const timedOut = reason.startsWith('timeout');
  // The message may have been accepted before a redirect, too.
  if (sent) return { kind: 'unknown', errorCode: timedOut ? 'gateway_timeout' : 'gateway_error' };
  if (reason === 'circuit_open') return { kind: 'unreachable', errorCode: 'gateway_down' };
  if (reason === 'share_used') return { kind: 'unreachable', errorCode: 'gateway_busy', shareUsed: true };
  if (reason === 'busy') return { kind: 'unreachable', errorCode: 'gateway_busy' };
  return { kind: 'unreachable', errorCode: timedOut ? 'gateway_timeout' : 'gateway_unreachable' };
}

/** A gateway's message id that can be stored: visible ASCII of limited length. Null for anything else. */
export function gatewayMessageId(id: unknown): string | null {
  return typeof id === 'string' && /^[\x21-\x7e]{1,128}$/.test(id) ? id : null;
}

const DAY_MS = 86_400_000;
/** Earlier than any message. */
const EARLIEST = Date.parse('2020-01-01T00:00:00Z');

/**
 * A time from a report, or null if it is not a time or not plausible. The database makes the final check, as it knows
 * when the message was sent.
 */
export function reportTime(text: string | undefined): Date | null {
  const time = Date.parse(text ?? '');
  // eslint-disable-next-line no-restricted-syntax -- the bound of a date that a gateway may send; no more than a check of its form
  return time >= EARLIEST && time <= Date.now() + DAY_MS ? new Date(time) : null;
}
