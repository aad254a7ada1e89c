import { ServiceError } from '@platform/errors';
import type { ReservationRefusal } from '../../ledger/credit-ledger.types';

/** `Retry-After` when calls in progress have reserved the credit: most calls take seconds. */
const RESERVED_RETRY_SECONDS = 5;

/** The error for a refused reservation. */
export function refused(outcome: Exclude<ReservationRefusal, 'key_taken'>): ServiceError {
  switch (outcome) {
    case 'disabled':
      return new ServiceError('ai_disabled', 'AI is not enabled for you; ask the operator');
    case 'not_configured':
      return new ServiceError('ai_not_configured', 'No AI model or key is configured for you; ask the operator');
    case 'in_progress':
      return new ServiceError(
        'credit_exhausted',
        'Your messages in progress have reserved the credit that this one needs (reserved_credit of GET /ai); ' +
          'try again when they have been answered',
        { retryAfterSeconds: RESERVED_RETRY_SECONDS },
      );
    case 'over_limit':
      return new ServiceError(
        'credit_exhausted',
        'The operator has limited what you may use in a month, purchased credit included, and this message would go beyond ' +
          'it (current_month_limit of GET /ai); ask the operator, or wait for the next month',
      );
    case 'exhausted':
      return new ServiceError(
        'credit_exhausted',
        'Your AI credit does not cover this message; ask for more with POST /ai/credit-requests',
      );
  }
}
