import { ServiceError } from '@platform/errors';
import { isDatabaseUnavailable, isLoginRefused } from '@platform/database';
import { explainStartFailure } from '@platform/process';

/** Says why a command failed, in words for the operator. */
export function explainCommandFailure(error: unknown): string {
  if (error instanceof ServiceError) return error.detail;
  if (isDatabaseUnavailable(error) && !isLoginRefused(error)) {
    return 'The database does not answer. Is npm start running, or DATABASE_URL right?';
  }
  return explainStartFailure(error);
}
