import { ServiceError } from '@platform/errors';
import { isDatabaseUnavailable, isLoginRefused } from '@platform/database';
import { explainStartFailure } from '@platform/process';

/** The message that the operator reads when a command fails. */
export function explainCommandFailure(error: unknown): string {
  if (error instanceof ServiceError) return error.detail;
  if (isDatabaseUnavailable(error) && !isLoginRefused(error)) {
    return 'The database does not answer. Is npm start running, or DATABASE_URL right?';
  }
  return explainStartFailure(error);
}
