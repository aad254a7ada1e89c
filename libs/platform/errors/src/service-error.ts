import type { ErrorCode } from './error-catalog';

/** A refusal of another system, in its own terms. It has no secrets. */
export interface UpstreamRefusal {
  status: number;
  /** Its code for programs. */
  errorCode?: string;
}

/** Details of an error for the caller. */
export interface ServiceErrorOptions {
  /** The faults of the request: a JSON pointer into the body or the name of a query parameter, with a description. */
  errors?: { pointer: string; detail: string }[];
  /** `Retry-After`: seconds after which a retry may succeed. */
  retryAfterSeconds?: number;
  /** The refusal of another system, for callers who speak its language. */
  upstream?: UpstreamRefusal;
  /** Set if the request may have had its effect all the same: under its Idempotency-Key it is not run again. */
  effect?: 'unknown';
  /** Set if a retry without the request's Idempotency-Key may have a second effect: programs do not retry by themselves. */
  retry?: 'only_with_key';
  /** Parameters of the bearer challenge (RFC 6750 §3). */
  bearer?: { error: 'invalid_token' | 'insufficient_scope'; scope?: string };
  /** The underlying error; logged, never shown. */
  cause?: unknown;
}

/** An error for the caller, with a code of the catalogue. `detail` is shown to the customer: no secrets. */
export class ServiceError extends Error {
  constructor(
    readonly code: ErrorCode,
    readonly detail: string,
    readonly options: ServiceErrorOptions = {},
  ) {
    super(`${code}: ${detail}`, { cause: options.cause });
  }
}
