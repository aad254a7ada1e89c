import { ServiceError } from '@platform/errors';

/** What is known of a call that brought no message. */
export interface UpstreamFault {
  /** Refused by the provider, or failed on the way or there. */
  code: 'ai_upstream_rejected' | 'ai_upstream_failed';
  /** What happened, in a few words for the operator; no secret. */
  reason: string;
  /** What the caller may know of it. */
  detail: string;
  retryAfterSeconds?: number;
  /** The provider's own id of the call. */
  requestId?: string;
  cause?: unknown;
}

/** The provider created no message. Nothing is charged. */
export class UpstreamError extends Error {
  constructor(readonly fault: UpstreamFault) {
    super(fault.reason, { cause: fault.cause });
  }

  /** As the caller is told. */
  toServiceError(): ServiceError {
    const { code, detail, retryAfterSeconds } = this.fault;
    return new ServiceError(code, detail, { retryAfterSeconds, cause: this });
  }
}
