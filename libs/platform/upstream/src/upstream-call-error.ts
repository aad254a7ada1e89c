/** Why a call to an upstream has no usable reply. */
export type UpstreamFailureReason =
  /** The host name could not be resolved. */
  | 'no_such_name'
  /** Nothing listens there. */
  | 'refused'
  /** No route to the host. */
  | 'unreachable'
  /** No TLS connection could be agreed on, or the certificate is not valid for the host. */
  | 'tls'
  /** No connection in time. */
  | 'timeout_connect'
  /** Connected, but the reply's head did not come in time. */
  | 'timeout_first_byte'
  /** The reply's body stopped arriving. */
  | 'timeout_idle'
  /** The call as a whole took too long. */
  | 'timeout_total'
  /** The connection ended before a reply began. */
  | 'disconnected'
  /** The reply ended before it was complete. */
  | 'cut_off'
  /** The reply is not HTTP. */
  | 'not_http'
  /** A reply of status 2xx that is not JSON where JSON is due. */
  | 'not_json'
  /** A reply of status 2xx that is not what the upstream documents. */
  | 'unexpected'
  /** A redirect that is not followed, such as one to another host. */
  | 'redirect'
  /** The reply has more bytes than such a reply may have. */
  | 'too_large'
  /** A status that the caller does not accept. */
  | 'status'
  /** Not called: the upstream counts as down. */
  | 'circuit_open'
  /** Not called: too many calls wait for the upstream already. */
  | 'busy'
  /** Ended by the caller. */
  | 'cancelled'
  /** Ended because the process stops. */
  | 'shutdown';

/** The part of a reply that an error keeps. */
export interface ReceivedReply {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** How long the upstream asked to wait. */
  readonly retryAfterMs?: number | undefined;
  text(): string;
  /** The body's JSON. @throws UpstreamCallError not_json */
  json(): unknown;
  /** The JSON object in the body; undefined if there is none. */
  jsonObject(): Record<string, unknown> | undefined;
}

/** What is known of a failed call. */
export interface UpstreamFailure {
  /** Name of the upstream, such as `stripe`. */
  upstream: string;
  /** The operation, such as `invoices.list`. */
  operation: string;
  reason: UpstreamFailureReason;
  /** Whether any part of the request may have reached the upstream. If false, nothing can have happened there. */
  sent: boolean;
  /** The system's or the protocol's own code, such as `ECONNREFUSED`. */
  code?: string;
  /** The reply of a refused stream, and for the reason `status`; bounded. */
  reply?: ReceivedReply;
  /** How long the upstream asked to wait, if it did and for no more than an hour. */
  retryAfterMs?: number;
}

const MEANINGS: Record<UpstreamFailureReason, string> = {
  no_such_name: 'its name could not be resolved',
  refused: 'it refused the connection',
  unreachable: 'there is no way to it',
  tls: 'no TLS connection came about',
  timeout_connect: 'it could not be connected to in time',
  timeout_first_byte: 'no reply came in time',
  timeout_idle: 'the reply stopped arriving',
  timeout_total: 'the call took too long',
  disconnected: 'the connection ended before a reply',
  cut_off: 'the reply was cut off',
  not_http: 'the reply is not HTTP',
  not_json: 'the reply is not JSON',
  unexpected: 'the reply is not in the documented format',
  redirect: 'it redirects elsewhere',
  too_large: 'the reply is too large',
  status: 'it refused the request',
  circuit_open: 'it counts as down and was not called',
  busy: 'too many calls wait for it already',
  cancelled: 'the call was cancelled',
  shutdown: 'the process stops',
};

/**
 * A call to an upstream failed. Message and fields contain nothing of the request or the reply, so they can be logged;
 * it has no cause on purpose, because parsers quote what they could not parse.
 */
export class UpstreamCallError extends Error {
  readonly upstream: string;
  readonly operation: string;
  readonly reason: UpstreamFailureReason;
  readonly sent: boolean;
  readonly code?: string;
  readonly status?: number;
  readonly retryAfterMs?: number;
  /** Not enumerable: a logger that prints an error's fields must not print a reply. */
  declare readonly reply?: ReceivedReply;

  constructor({ upstream, operation, reason, sent, code, reply, retryAfterMs }: UpstreamFailure) {
    const status = reply?.status;
    const details = [status, code].filter((part) => part !== undefined).join(' ');
    super(`${upstream} ${operation}: ${MEANINGS[reason]}${details && ` (${details})`}`);
    this.name = 'UpstreamCallError';
    this.upstream = upstream;
    this.operation = operation;
    this.reason = reason;
    this.sent = sent;
    if (code !== undefined) this.code = code;
    if (status !== undefined) this.status = status;
    const wait = retryAfterMs ?? reply?.retryAfterMs;
    if (wait !== undefined) this.retryAfterMs = wait;
    Object.defineProperty(this, 'reply', { value: reply, enumerable: false });
  }
}
