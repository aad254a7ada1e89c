import { ServiceError } from '@platform/errors';

/** What is known of a failed call. */
export interface UpstreamFault {
  /** Whether the provider refused the call, or the call failed. */
  code: 'ai_upstream_rejected' | 'ai_upstream_failed';
  /** What happened, in a few words for the operator; contains no secret. */
  reason: string;
  /** The detail that the customer may read. */
  detail: string;
  retryAfterSeconds?: number;
  /** The provider's own id of the call. */
  requestId?: string;
  /** The usage that was reported before the answer broke off, in words for the operator: the provider may bill it. */
  usageSoFar?: string;
  cause?: unknown;
}

/** The provider created no message. Nothing is charged. */
export class UpstreamError extends Error {
  constructor(readonly fault: UpstreamFault) {
    super(fault.reason, { cause: fault.cause });
  }

  /** The same, with more that is known. */
  with(known: Partial<UpstreamFault>): UpstreamError {
    return new UpstreamError({ ...this.fault, ...known });
  }

  /** Converts it to the error for the customer. */
  toServiceError(): ServiceError {
    const { code, detail, retryAfterSeconds } = this.fault;
    return new ServiceError(code, detail, { retryAfterSeconds, cause: this });
  }
}
