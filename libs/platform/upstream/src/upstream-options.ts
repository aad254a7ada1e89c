/** When an upstream counts as down. */
export interface BreakerOptions {
  /**
   * Failures within the window that open the circuit, if they are more than the successes. One caller ({@link
   * UpstreamRequest.onBehalfOf}) contributes at most half of them, rounded up, so that one customer's requests never
   * open the circuit for all; failures to connect have no caller and count in full.
   */
  failures: number;
  /** Milliseconds that a failure counts. */
  windowMs: number;
  /** Minimum time in milliseconds between the first and the last failure: a brief interruption is no outage. */
  spreadMs: number;
  /** Milliseconds until an open circuit admits a trial call. */
  resetMs: number;
}

/** Options of all calls to an upstream. */
export interface UpstreamOptions {
  /** Name in logs and metrics, such as `stripe`. */
  name: string;
  /** Address that paths are relative to; credentials never go to another origin. */
  baseUrl: string;
  /** Maximum number of concurrent calls, each on its own connection. */
  concurrency: number;
  /** Maximum number of calls that wait for their turn, within their deadline; default none. */
  queue?: number;
  /** Maximum time to connect, TLS included. */
  connectTimeoutMs: number;
  /** Age at which a call without a first byte counts as a failure of an upstream of which nothing is heard in other calls either. */
  slowAfterMs: number;
  /**
   * Time without a byte after which a call is checked with a new connection: if there is no way to the upstream any more, the call ends.
   * Default: never.
   */
  silentAfterMs?: number;
  /** Maximum duration of a call, all attempts included, unless the request says otherwise. */
  timeoutMs: number;
  /** Maximum size of a reply's body in bytes, unless the request says otherwise. */
  maxReplyBytes: number;
  /** Maximum number of retries, for requests that allow them. */
  retries: number;
  /** Called when it begins to count as down, and after each trial call in vain. */
  onDown?: () => void;
  /** Pause before the first retry if the upstream names none; doubled for each one after. */
  retryPauseMs: number;
  breaker: BreakerOptions;
  /** Whether calls in progress are finished when the process stops, within their deadlines, instead of aborted. */
  finishesAtShutdown?: boolean;
  /** Redirects of GET requests that are followed. Default none. */
  redirects?: {
    most: number;
    /** Whether a redirect to another origin is followed. Within one origin redirects always are. */
    allowed?(from: URL, to: URL): boolean;
  };
}

/**
 * Which requests may be retried.
 * - `never`.
 * - `unsent`: only if nothing of the request was sent.
 * - `turned_away`: also a request that the upstream certainly did not process: 429, and 503 with a `Retry-After`.
 * - `idempotent`: also a request that was sent and failed: broken connections, 5xx.
 */
export type RetryRule = 'never' | 'unsent' | 'turned_away' | 'idempotent';

/** A request's body: a text, bytes, or bytes in parts that are sent without copying, for a large body. */
export type RequestBody = string | Buffer | readonly Buffer[];

/** One call. */
export interface UpstreamRequest {
  /** Name of the operation for logs and metrics: a constant such as `invoices.list`. */
  operation: string;
  method: 'GET' | 'POST';
  /** Path and query below the base address, beginning with a slash. */
  path?: string;
  /** Instead of a path: a link that the upstream gave. No header of the request is sent to another origin. */
  url?: URL;
  headers?: Record<string, string>;
  body?: RequestBody;
  /** The caller: a customer, an account. Never logged or sent. */
  onBehalfOf?: string;
  timeoutMs?: number;
  /** Maximum duration while the reply goes on: `timeoutMs` then bounds how long nothing of it comes. Default: `timeoutMs`. */
  longestMs?: number;
  /** For a reply that takes long to begin: {@link UpstreamOptions.slowAfterMs} of this call. Not less than that of the others. */
  slowAfterMs?: number;
  maxReplyBytes?: number;
  retry?: RetryRule;
  /** Ends the call early. */
  signal?: AbortSignal;
}
