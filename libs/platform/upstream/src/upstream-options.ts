import type { RequestBody } from './wire/request-body';

/** When an upstream counts as down. */
export interface BreakerOptions {
  /**
   * Failures within the window that open the circuit, if they are more than the successes. One caller
   * ({@link UpstreamRequest.onBehalfOf}) contributes at most half of them, rounded up, so that one customer's requests
   * never close an upstream to all; failures to connect are nobody's and count in full.
   */
  failures: number;
  /** Milliseconds that a failure counts. */
  windowMs: number;
  /** Milliseconds that the failures must be spread over: one hiccup is no outage. */
  spreadMs: number;
  /** Milliseconds that an open circuit lets nothing through; then one call tries. */
  resetMs: number;
}

/** What is fixed for all calls to an upstream. */
export interface UpstreamOptions {
  /** Name in logs and metrics, such as `stripe`. */
  name: string;
  /** Address that paths are relative to; credentials never go to another origin. */
  baseUrl: string;
  /** Calls at a time, each on a connection of its own. */
  concurrency: number;
  /** Calls beyond those that wait for their turn, within their deadline; none without. */
  queue?: number;
  /** Longest connecting may take, TLS included. */
  connectTimeoutMs: number;
  /** Longest until the head of a reply is there; as long as the call itself without. */
  firstByteTimeoutMs?: number;
  /** Longest pause within the body of a reply; as long as the call itself without. */
  idleTimeoutMs?: number;
  /** Age at which a call without a first byte counts against an upstream that answers nobody else either. */
  slowAfterMs: number;
  /** Longest a call may take, all attempts included, unless the request says otherwise. */
  timeoutMs: number;
  /** Most bytes of a reply's body, unless the request says otherwise. */
  maxReplyBytes: number;
  /** Further attempts, for requests that allow them. */
  retries: number;
  /** Pause before the first further attempt when the upstream names none; doubled for each one after. */
  retryPauseMs: number;
  breaker: BreakerOptions;
  /** Whether calls under way are finished when the process stops, within their deadlines, instead of ended. */
  finishesAtShutdown?: boolean;
  /** Redirects of GET requests that are followed. None without. */
  redirects?: {
    most: number;
    /** Whether one host may send us to another. Within one origin it always may. */
    allowed?(from: URL, to: URL): boolean;
  };
}

/**
 * What may be tried again.
 * - `never`.
 * - `unsent`: only if nothing of the request was sent.
 * - `turned_away`: also what the upstream certainly did not take on: 429, and 503 with a `Retry-After`.
 * - `idempotent`: also what was sent and failed: broken connections, 5xx.
 */
export type RetryRule = 'never' | 'unsent' | 'turned_away' | 'idempotent';

/** One call. */
export interface UpstreamRequest {
  /** What is asked, for logs and metrics: a constant such as `invoices.list`. */
  operation: string;
  method: 'GET' | 'POST';
  /** Path and query below the base address, beginning with a slash. */
  path?: string;
  /** Instead of a path: a link that the upstream gave. No header of the request is sent to another origin. */
  url?: URL;
  headers?: Record<string, string>;
  body?: RequestBody;
  /** Whose call it is: a customer, an account. Never logged or sent. */
  onBehalfOf?: string;
  timeoutMs?: number;
  maxReplyBytes?: number;
  retry?: RetryRule;
  /** Ends the call early. */
  signal?: AbortSignal;
}
