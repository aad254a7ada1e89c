import type { ErrorCode } from './error-catalog';

/** Particulars of an error that the caller is told. */
export interface ServiceErrorOptions {
  /** What is wrong with which part of the request: a JSON pointer into the body, or the name of a query parameter. */
  errors?: { pointer: string; detail: string }[];
  /** Seconds after which trying again may help. */
  retryAfterSeconds?: number;
  /** What the bearer challenge says besides its name (RFC 6750 §3). */
  bearer?: { error: 'invalid_token' | 'insufficient_scope'; scope?: string };
  /** What went wrong underneath; logged, never shown. */
  cause?: unknown;
}

/** An error that the caller is told about, by a code of the catalog. `detail` is shown to the customer: no secrets. */
export class ServiceError extends Error {
  constructor(
    readonly code: ErrorCode,
    readonly detail: string,
    readonly options: ServiceErrorOptions = {},
  ) {
    super(`${code}: ${detail}`, { cause: options.cause });
  }
}
