import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import type { CircuitBreaker } from './circuit-breaker';
import { NoReplyError, type Post, postOnce, type Reply } from './post-once';
import { type OutgoingSms, type SendOutcome, SmsGateway } from './sms-gateway';

/** Where a gateway is and how long it may take. */
export interface HttpGatewaySettings {
  url: string;
  username: string;
  password: string;
  timeoutMs: number;
}

const ATTEMPTS = 3;
/** Pause before another try when the gateway names none. */
const PAUSE_MS = 200;

/**
 * What the gateways have in common: one message per call, whatever happens. A try is repeated only when the one before
 * certainly sent nothing: it never left, or was turned away with the word when to come back.
 */
export abstract class HttpSmsGateway extends SmsGateway {
  private readonly pool: Pool;
  private readonly basePath: string;
  private readonly authorization: string;

  constructor(
    private readonly settings: HttpGatewaySettings,
    private readonly circuit: CircuitBreaker,
  ) {
    super();
    const { origin, pathname } = new URL(settings.url);
    this.basePath = pathname.replace(/\/$/, '');
    this.authorization = `Basic ${Buffer.from(`${settings.username}:${settings.password}`).toString('base64')}`;
    // Connections are dropped before a gateway would: one that closes under a request leaves its outcome unknown.
    this.pool = new Pool(origin, { connections: 32, keepAliveTimeout: 4_000, keepAliveMaxTimeout: 30_000 });
  }

  async send(sms: OutgoingSms): Promise<SendOutcome> {
    if (!this.circuit.tryEnter()) return { kind: 'unreachable', errorCode: 'gateway_down' };
    const outcome = await this.sendWithin(Date.now() + this.settings.timeoutMs, sms, ATTEMPTS);
    if (isOutage(outcome)) this.circuit.failed();
    else this.circuit.succeeded();
    return outcome;
  }

  close(): Promise<void> {
    return this.pool.close();
  }

  /** The gateway's form of a message. */
  protected abstract write(sms: OutgoingSms): Pick<Post, 'path' | 'headers' | 'body'>;

  /** The outcome that a reply of status 2xx tells. */
  protected abstract readAccepted(reply: Reply): SendOutcome;

  /** The outcome that a reply of status 4xx tells. */
  protected abstract readRefused(reply: Reply): SendOutcome;

  private async sendWithin(deadline: number, sms: OutgoingSms, attempts: number): Promise<SendOutcome> {
    const { outcome, retryInMs } = await this.attempt(deadline, sms);
    const inTime = retryInMs !== undefined && Date.now() + retryInMs < deadline;
    if (attempts === 1 || !inTime) return outcome;
    await sleep(retryInMs);
    return this.sendWithin(deadline, sms, attempts - 1);
  }

  private async attempt(deadline: number, sms: OutgoingSms): Promise<{ outcome: SendOutcome; retryInMs?: number }> {
    const { path, headers, body } = this.write(sms);
    const timeoutMs = Math.max(1, deadline - Date.now());
    try {
      const reply = await postOnce(this.pool, {
        path: this.basePath + path,
        headers: { ...headers, authorization: this.authorization, accept: 'application/json' },
        body,
        timeoutMs,
      });
      return this.interpret(reply);
    } catch (error) {
      if (!(error instanceof NoReplyError)) throw error;
      const errorCode = error.timedOut ? 'gateway_timeout' : error.left ? 'gateway_error' : 'gateway_unreachable';
      if (error.left) return { outcome: { kind: 'unknown', errorCode } };
      return { outcome: { kind: 'unreachable', errorCode }, retryInMs: PAUSE_MS };
    }
  }

  private interpret(reply: Reply): { outcome: SendOutcome; retryInMs?: number } {
    const { status, headers } = reply;
    if (status >= 200 && status < 300) return { outcome: this.readAccepted(reply) };
    const seconds = Number(headers['retry-after'] ?? NaN);
    const turnedAway = status === 429 || (status === 503 && seconds >= 0);
    if (turnedAway) {
      return {
        outcome: { kind: 'unreachable', errorCode: 'gateway_busy' },
        retryInMs: seconds >= 0 ? seconds * 1000 : PAUSE_MS,
      };
    }
    // A server or proxy that failed may have failed after the message went on its way.
    if (status >= 500) return { outcome: { kind: 'unknown', errorCode: 'gateway_error' } };
    if (status === 401 || status === 402 || status === 403) {
      return { outcome: { kind: 'unreachable', errorCode: 'gateway_refused_account' } };
    }
    return { outcome: status >= 400 ? this.readRefused(reply) : { kind: 'unreachable', errorCode: 'gateway_error' } };
  }
}

/** Whether the gateway itself is in trouble, as opposed to having an opinion on a message or on our account. */
function isOutage(outcome: SendOutcome): boolean {
  if (outcome.kind === 'taken' || outcome.kind === 'refused') return false;
  return ['gateway_unreachable', 'gateway_timeout', 'gateway_error'].includes(outcome.errorCode);
}
