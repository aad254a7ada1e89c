import { allErrors, type ErrorCode } from './error-catalog';

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

/** An error without a stack, unless it asks for one: it answers a request, and nobody looks where it was thrown. */
export class UntracedError extends Error {
  constructor(message: string, options?: ErrorOptions, isTraced = false) {
    const { stackTraceLimit } = Error;
    if (!isTraced) Error.stackTraceLimit = 0;
    super(message, options);
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Statuses from which on an error is a fault of the service, or of a system behind it. */
const LEAST_FAULT = 500;

/**
 * An error for the caller, with a code of the catalogue. `detail` is shown to the customer: no secrets. One that refuses what the
 * caller did has no stack: in floods of refusals stacks took 3 to 6 % of the time.
 */
export class ServiceError extends UntracedError {
  constructor(
    readonly code: ErrorCode,
    readonly detail: string,
    readonly options: ServiceErrorOptions = {},
  ) {
    super(`${code}: ${detail}`, options, allErrors[code].status >= LEAST_FAULT);
  }
}

/** A name as a segment of a JSON pointer (RFC 6901 §3), with the slash before it. */
export function pointerSegment(name: string | number): string {
  return `/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
