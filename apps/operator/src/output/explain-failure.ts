import { AmbiguousCustomerError } from '@domains/customers';
import { ConfigError } from '@platform/config';
import {
  isDatabaseUnavailable,
  isLoginRefused,
  NotMigratedError,
  UnfitDatabaseError,
  UnknownSchemaError,
} from '@platform/database';
import { ServiceError } from '@platform/errors';
import { explainStartFailure } from '@platform/process';
import { CommandError } from '../program/command-error';
import { EXIT } from '../program/exit-codes';

/** What the operator is told when a command fails, whatever failed. */
export function explainFailure(error: unknown): CommandError {
  if (error instanceof CommandError) return error;
  if (error instanceof AmbiguousCustomerError) {
    const lines = error.candidates.map(({ customerNumber, name }) => `  ${customerNumber}  ${name}`);
    const candidates = error.candidates.map(({ id, customerNumber: number, name }) => ({ number, name, id }));
    return new CommandError(EXIT.ambiguous, 'ambiguous', [error.message, ...lines].join('\n'), { candidates });
  }
  if (error instanceof ServiceError) return refusal(error);
  if (isDatabaseUnavailable(error) && !isLoginRefused(error)) {
    const message = 'The database does not answer. Is npm start running, or DATABASE_URL right?';
    return new CommandError(EXIT.unavailable, 'database_unavailable', message);
  }
  const settings =
    isLoginRefused(error) ||
    [ConfigError, NotMigratedError, UnfitDatabaseError, UnknownSchemaError].some((known) => error instanceof known);
  return settings
    ? new CommandError(EXIT.settings, 'settings', explainStartFailure(error))
    : new CommandError(EXIT.failed, 'internal_error', explainStartFailure(error));
}

function refusal({ code, detail }: ServiceError): CommandError {
  if (code === 'not_found') return new CommandError(EXIT.notFound, code, detail);
  if (code === 'service_unavailable') return new CommandError(EXIT.unavailable, code, detail);
  return new CommandError(EXIT.refused, code, detail);
}
