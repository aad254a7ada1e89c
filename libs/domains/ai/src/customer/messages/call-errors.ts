import { ServiceError } from '@platform/errors';
import { SecretUnreadableError } from '@platform/secrets';
import type { ReservationRefusal } from '../../ledger/credit-ledger.port';
import { UpstreamError } from '../../ports/ai-upstream.port';

/** `Retry-After` when calls in progress have reserved the credit: most calls take seconds. */
const RESERVED_RETRY_SECONDS = 5;

/**
 * The error of a call whose reservation the ledger refused.
 * @param thinks whether the credit must buy more tokens because of the request's budget_tokens
 */
export function callRefused(outcome: Exclude<ReservationRefusal, 'key_taken'>, thinks = false): ServiceError {
  switch (outcome) {
    case 'disabled':
      return new ServiceError('ai_disabled', 'AI is not enabled for you; ask the operator');
    case 'not_configured':
      return new ServiceError('ai_not_configured', 'No AI model or key is configured for you; ask the operator');
    case 'in_progress':
      return new ServiceError(
        'credit_exhausted',
        'Your messages in progress have reserved the credit that this message needs (reserved_credit of GET /ai); ' +
          'try again when they have been answered',
        { retryAfterSeconds: RESERVED_RETRY_SECONDS },
      );
    case 'over_limit':
      return new ServiceError(
        'credit_exhausted',
        "This message would exceed the operator's limit on your usage of the month (current_month_limit of GET /ai), " +
          'which includes purchased credit; ask the operator to raise it, or wait for the next month',
      );
    case 'exhausted':
      return new ServiceError(
        'credit_exhausted',
        'Your AI credit does not cover this message; ' +
          (thinks ? 'a smaller budget_tokens of thinking needs less, or ' : '') +
          'ask for more with POST /ai/credit-requests',
      );
  }
}

/** The reason of a failed call, in a few words for the operator. */
export function failureReason(error: unknown): string {
  if (error instanceof UpstreamError) return error.fault.reason;
  return error instanceof SecretUnreadableError ? 'key unreadable' : 'internal error';
}

/** The error of a failed call, for the customer. */
export function callFailure(error: unknown): unknown {
  if (error instanceof UpstreamError) return error.toServiceError();
  return error instanceof SecretUnreadableError ? callRefused('not_configured') : error;
}

/** The error of a request that leaves no tokens for the answer itself. */
export function tooMuchThinking(maxTokens: number): ServiceError {
  const detail = `budget_tokens of thinking must be less than max_tokens, which is at most ${maxTokens} for this message`;
  return new ServiceError('invalid_request', detail, { errors: [{ pointer: '/thinking/budget_tokens', detail }] });
}

/** The error of a call that the provider answered, and that is certainly not charged. */
export function chargeNotStored(cause: unknown): ServiceError {
  return new ServiceError(
    'service_unavailable',
    'The answer arrived, but its charge could not be stored. You were not charged; try again later',
    { cause },
  );
}

/** The error of a call that the provider answered, while the database cannot say whether it was charged. */
export function chargeUnknown(usageId: string, cause: unknown): ServiceError {
  return new ServiceError(
    'service_unavailable',
    'The answer arrived, but it is unknown whether it was charged. Read the receipt, GET /ai/usage/' +
      `${usageId}: a 404 means that you were not charged. A retry with the same Idempotency-Key is never charged a second time`,
    { cause, retry: 'only_with_key' },
  );
}

/** The error of a call whose reservation ended before the answer arrived, and whose Idempotency-Key another request has since. */
export function keyTakenMeanwhile(): ServiceError {
  return new ServiceError(
    'idempotency_key_in_progress',
    'The answer arrived too late: a later request with the same Idempotency-Key has replaced this one. This request was not charged',
    { retryAfterSeconds: 1 },
  );
}
