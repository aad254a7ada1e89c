import { isAscii } from 'node:buffer';

/** Why a call has no usable reply, as an error's message says it. */
const REASONS = {
  no_such_name: 'its name could not be resolved',
  refused: 'it refused the connection',
  unreachable: 'there is no way to it',
  // Also for a certificate that is not valid for the host.
  tls: 'no TLS connection came about',
  timeout_connect: 'it could not be connected to in time',
  // Of the reply's head.
  timeout_first_byte: 'no reply came in time',
  timeout_idle: 'the reply stopped arriving',
  timeout_total: 'the call took too long',
  disconnected: 'the connection ended before a reply',
  cut_off: 'the reply was cut off',
  // Nothing came, and a new connection found no way to it.
  gone_silent: 'the network to it has gone silent',
  not_http: 'the reply is not HTTP',
  // Of status 2xx, like `unexpected`.
  not_json: 'the reply is not JSON',
  unexpected: 'the reply is not in the documented format',
  // One that is not followed, such as one to another host.
  redirect: 'it redirects elsewhere',
  too_large: 'the reply is too large',
  // One that the caller does not accept.
  status: 'it refused the request',
  circuit_open: 'it counts as down and was not called',
  busy: 'too many calls wait for it already',
  share_used: 'its caller makes as many calls as its share allows',
  cancelled: 'the call was cancelled',
  shutdown: 'the process stops',
};

export type UpstreamFailureReason = keyof typeof REASONS;

/** The details of a failed call. */
export interface UpstreamFailure {
  /** Name of the upstream, such as `stripe`. */
  upstream: string;
  /** The operation, such as `invoices.list`. */
  operation: string;
  reason: UpstreamFailureReason;
  /** Whether any part of the request may have reached the upstream. If false, nothing can have happened there. */
  sent: boolean;
  /** The system's or the protocol's own code, such as `ECONNREFUSED`. */
  code?: string | undefined;
  /** The reply of a refused stream, and for the reason `status`; bounded. */
  reply?: UpstreamReply;
}

/**
 * A call to an upstream failed. Message and fields contain nothing of the request or the reply, so they can be logged;
 * it has no cause on purpose, because parsers quote the text that they could not parse.
 */
export class UpstreamCallError extends Error {
  readonly upstream: string;
  readonly operation: string;
  readonly reason: UpstreamFailureReason;
  readonly sent: boolean;
  readonly code?: string;
  readonly status?: number;
  /** How long the upstream asked to wait, if it did and for no more than an hour. */
  readonly retryAfterMs?: number;
  /** Not enumerable: a logger that prints an error's fields must not print a reply. */
  declare readonly reply?: UpstreamReply;

  constructor({ upstream, operation, reason, sent, code, reply }: UpstreamFailure) {
    const status = reply?.status;
    const details = [status, code].filter((part) => part !== undefined).join(' ');
    super(`${upstream} ${operation}: ${REASONS[reason]}${details && ` (${details})`}`);
    this.name = 'UpstreamCallError';
    this.upstream = upstream;
    this.operation = operation;
    this.reason = reason;
    this.sent = sent;
    if (code !== undefined) this.code = code;
    if (status !== undefined) this.status = status;
    const wait = reply?.retryAfterMs;
    if (wait !== undefined) this.retryAfterMs = wait;
    Object.defineProperty(this, 'reply', { value: reply, enumerable: false });
  }
}

/** A complete reply. */
export class UpstreamReply {
  /**
   * @param status never 1xx, and 3xx only if it is no redirect @param headers names in lower case; several of one name
   * are joined with a comma
   */
  constructor(
    private readonly source: { upstream: string; operation: string },
    readonly status: number,
    readonly headers: Readonly<Record<string, string>>,
    readonly body: Buffer,
  ) {}

  /** Whether the status is 2xx. */
  get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  /** How long the upstream asks to wait. */
  get retryAfterMs(): number | undefined {
    return parseRetryAfter(this.headers['retry-after']);
  }

  /** The body's JSON. @throws UpstreamCallError not_json */
  json(): unknown {
    try {
      return JSON.parse(this.text());
    } catch {
      // The parser's message quotes the body.
      throw this.unusable('not_json');
    }
  }

  /** The JSON object in the body. @throws UpstreamCallError not_json, unexpected */
  requireJsonObject(): Record<string, unknown> {
    const value = this.json();
    if (!isObject(value)) throw this.unusable('unexpected', 'NO_OBJECT');
    return value;
  }

  /** The JSON object in the body; undefined if there is none. For refusals, which may have another format. */
  jsonObject(): Record<string, unknown> | undefined {
    try {
      const value: unknown = JSON.parse(this.text());
      return isObject(value) ? value : undefined;
    } catch {
      return undefined;
    }
  }

  /** The body as text. */
  text(): string {
    // Most replies are ASCII, which is much quicker to decode.
    return isAscii(this.body) ? this.body.toString('latin1') : this.body.toString();
  }

  /** The error of an unusable reply. `detail` is one of our constants, nothing of the reply. */
  unusable(reason: 'not_json' | 'unexpected', detail?: string): UpstreamCallError {
    return new UpstreamCallError({ ...this.source, reason, sent: true, code: detail, reply: this });
  }

  /** The error of a status that the caller does not accept. */
  refused(): UpstreamCallError {
    return new UpstreamCallError({ ...this.source, reason: 'status', sent: true, reply: this });
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const LONGEST_WAIT_MS = 3_600_000;
/** RFC 9110 §5.6.7, the format that senders must use. */
const HTTP_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * Milliseconds of a `Retry-After` header (RFC 9110 §10.2.3): seconds, or a date; a past date means none. More than
 * `longestMs` (an hour), or an invalid value, counts as absent.
 */
export function parseRetryAfter(
  header: string | undefined,
  now = Date.now(),
  longestMs = LONGEST_WAIT_MS,
): number | undefined {
  const text = header?.trim() ?? '';
  const ms = /^\d{1,10}$/.test(text)
    ? Number(text) * 1000
    : HTTP_DATE.test(text)
      ? Math.max(0, Date.parse(text) - now)
      : NaN;
  return ms <= longestMs ? ms : undefined;
}
