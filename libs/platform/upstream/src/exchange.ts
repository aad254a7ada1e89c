import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { LOOKUP_FAILED, LOOKUP_TIMEOUT } from './public-addresses';
import type { RequestBody, UpstreamOptions, UpstreamRequest } from './upstream-options';
import type { UpstreamFailureReason } from './upstream-reply';

const REDIRECTS = [301, 302, 303, 307, 308];

/** Address and headers of a request. */
export interface Target {
  origin: string;
  /** With the query. */
  path: string;
  headers: Record<string, string>;
}

/** Pauses and resumes a reply. */
export interface Flow {
  pause(): void;
  resume(): void;
}

/** Receives the events of an exchange. An error that `head` or `data` throws ends it. */
export interface Receiver {
  /** Set when the request is being written; from then on the upstream may have received it. */
  sent: boolean;
  /** Whether the call was ended from outside. */
  readonly interrupted: boolean;
  /**
   * Called when the call is ended from outside; the present exchange sets it. An AbortSignal would do, but the several that
   * a call needs, with their listeners, cost as much as sending its request.
   */
  onInterrupt?: (() => void) | undefined;
  head(status: number, headers: Record<string, string>, flow: Flow): void;
  /** @returns whether to read more; if not, the reply counts as complete */
  data(chunk: Buffer): boolean;
  /** Creates the error of a failure of the network or the protocol. */
  failure(reason: UpstreamFailureReason, code?: string): Error;
}

/** The call was ended from outside. */
export class AbortedError extends Error {}

/**
 * Sends one request on a connection and passes on the reply as it arrives. Resolves when the reply is complete. undici
 * announces a request when it writes it, and one that was aborted before is never written: so it is known whether
 * anything was sent.
 */
export function exchange(
  dispatcher: Dispatcher,
  { origin, path, headers }: Target,
  { method, body }: Pick<UpstreamRequest, 'method' | 'body'>,
  receiver: Receiver,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const handler = new Exchange(receiver, origin.startsWith('https:'), resolve, reject);
    if (receiver.interrupted) return handler.fail(new AbortedError());
    receiver.onInterrupt = () => handler.fail(new AbortedError());
    try {
      dispatcher.dispatch({ origin, path, method, headers, ...onTheWire(body, headers) }, handler);
    } catch (error) {
      handler.onResponseError(undefined, error);
    }
  });
}

class Exchange implements Dispatcher.DispatchHandler {
  private controller?: Dispatcher.DispatchController;
  private sent = false;
  /** Whether the head of the reply was received. */
  private begun = false;
  private ended = false;

  constructor(
    private readonly receiver: Receiver,
    private readonly secure: boolean,
    private readonly resolve: () => void,
    private readonly reject: (error: unknown) => void,
  ) {}

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.ended) return controller.abort(new AbortedError());
    this.sent = true;
    this.receiver.sent = true;
  }

  onResponseStart(flow: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    // 1xx: the final reply is still to come.
    if (status < 200 || this.ended) return;
    this.begun = true;
    try {
      this.receiver.head(status, flatten(headers), flow);
    } catch (error) {
      this.fail(error);
    }
  }

  onResponseData(_flow: unknown, chunk: Buffer): void {
    if (this.ended) return;
    try {
      if (this.receiver.data(chunk)) return;
      this.onResponseEnd();
      this.controller?.abort(new AbortedError());
    } catch (error) {
      this.fail(error);
    }
  }

  onResponseEnd(): void {
    if (this.finish()) this.resolve();
  }

  onResponseError(_flow: unknown, error: unknown): void {
    if (this.ended) return;
    const code = codeOf(error);
    // Some parser errors have no code.
    const isParserError = code === undefined && error instanceof Error && error.name === 'HTTPParserError';
    this.fail(this.receiver.failure(isParserError ? 'not_http' : this.reasonOf(code), code));
  }

  /** Ends the exchange at once, without waiting for the connection. */
  fail(error: unknown): void {
    if (!this.finish()) return;
    this.reject(error);
    this.controller?.abort(error as Error);
  }

  private finish(): boolean {
    if (this.ended) return false;
    this.receiver.onInterrupt = undefined;
    return (this.ended = true);
  }

  private reasonOf(code = ''): UpstreamFailureReason {
    // An open connection may still time out below HTTP, which is not a failure to connect.
    if (code === 'ETIMEDOUT' && this.sent) return this.begun ? 'cut_off' : 'disconnected';
    const known = REASONS[code];
    if (known) return known;
    if (code.startsWith(LOOKUP_FAILED)) return 'no_such_name';
    if (TLS.test(code)) return 'tls';
    if (code.startsWith('HPE_')) return 'not_http';
    if (this.begun) return 'cut_off';
    // Closed during the TLS handshake.
    return !this.sent && this.secure ? 'tls' : 'disconnected';
  }
}

function flatten(headers: IncomingHttpHeaders): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name] ?? '';
    flat[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return flat;
}

/** Below this size, one copy costs less than sending part by part. */
const ONE_PIECE_BYTES = 64 * 1024;

/** The body for one exchange. Each needs a new one: a stream can be read once. */
function onTheWire(
  body: RequestBody | undefined,
  headers: Record<string, string>,
): Pick<Dispatcher.DispatchOptions, 'body' | 'headers'> {
  if (body === undefined || typeof body === 'string' || Buffer.isBuffer(body)) return { body };
  let length = 0;
  for (const part of body) length += part.length;
  if (length <= ONE_PIECE_BYTES) return { body: Buffer.concat(body, length) };
  return { body: Readable.from(body), headers: { ...headers, 'content-length': String(length) } };
}

const REASONS: Record<string, UpstreamFailureReason> = {
  ENOTFOUND: 'no_such_name',
  EAI_AGAIN: 'no_such_name',
  EAI_FAIL: 'no_such_name',
  EAI_NODATA: 'no_such_name',
  ECONNREFUSED: 'refused',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  EADDRNOTAVAIL: 'unreachable',
  ETIMEDOUT: 'timeout_connect',
  [LOOKUP_FAILED + LOOKUP_TIMEOUT]: 'timeout_connect',
  UND_ERR_CONNECT_TIMEOUT: 'timeout_connect',
  UND_ERR_HEADERS_TIMEOUT: 'timeout_first_byte',
  UND_ERR_BODY_TIMEOUT: 'timeout_idle',
  UND_ERR_HEADERS_OVERFLOW: 'too_large',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'cut_off',
  UND_ERR_DESTROYED: 'shutdown',
  UND_ERR_CLOSED: 'shutdown',
  HPE_INVALID_EOF_STATE: 'cut_off',
};
const TLS = /^(ERR_TLS_|ERR_SSL_|CERT_|CRL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH|INVALID_CA|EPROTO)/;

/** The code of an error; that of the first one if several addresses were tried. */
function codeOf(error: unknown): string | undefined {
  const inner = error instanceof AggregateError ? ((error.errors[0] as unknown) ?? error) : error;
  const code = (inner as { code?: unknown } | null)?.code;
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,60}$/.test(code) ? code : undefined;
}

/** Where the requests to an upstream go: below its base address, to links that it gave, and to where it redirects. */
export class Targets {
  private readonly base: URL;
  private readonly origin: string;
  private readonly basePath: string;

  constructor(private readonly options: Pick<UpstreamOptions, 'baseUrl' | 'redirects'>) {
    this.base = new URL(options.baseUrl);
    this.origin = this.base.origin;
    this.basePath = this.base.pathname.replace(/\/$/, '');
  }

  /**
   * Resolves a request's address. Headers, with the credentials, are sent to the upstream's own origin only. Undefined
   * for an unsafe address.
   */
  resolve({ url, path = '', headers = {} }: Pick<UpstreamRequest, 'url' | 'path' | 'headers'>): Target | undefined {
    if (!url) return { origin: this.origin, path: this.basePath + path, headers };
    if (url.protocol !== 'https:' && url.protocol !== this.base.protocol) return undefined;
    const { origin, pathname, search } = url;
    return { origin, path: pathname + search, headers: origin === this.origin ? headers : {} };
  }

  /** The target of a redirect; undefined if it is not followed. @param hop number of redirects, with this one */
  redirect(status: number, { origin, path, headers }: Target, location: string | undefined, hop: number) {
    const { redirects } = this.options;
    if (!redirects || hop > redirects.most || !REDIRECTS.includes(status)) return undefined;
    const from = new URL(origin + path);
    const to = location === undefined ? null : URL.parse(location, from.href);
    if (!to || (to.origin !== from.origin && !redirects.allowed?.(from, to))) return undefined;
    return this.resolve({ url: to, headers });
  }
}
