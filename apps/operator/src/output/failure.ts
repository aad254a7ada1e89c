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
import { visibleJson, visibleLines } from '@platform/logging';
import { explainStartFailure } from '@platform/process';
import { CommandError, EXIT, type ExitCode } from '../command-error';

/** A service token that somebody gave in place of something else is not repeated: the terminal's history may be read by others. */
const TOKEN = /cas_live_[0-9A-Za-z]+/g;

/** Prints on standard error why a command failed: a line for people, or one JSON value. @returns the exit code */
export function reportFailure(error: unknown, asJson: boolean): ExitCode {
  const { exitCode, code, message, details } = explainFailure(error);
  const text = message.trimEnd().replaceAll(TOKEN, 'cas_live_…');
  const body = { error: { code, message: text, exit_code: exitCode, ...details } };
  process.stderr.write(`${asJson ? visibleJson(JSON.stringify(body)) : visibleLines(text)}\n`);
  return exitCode;
}

/** The message to the operator for an error of any kind. */
function explainFailure(error: unknown): CommandError {
  if (error instanceof CommandError) return error;
  if (error instanceof AmbiguousCustomerError) {
    const lines = error.candidates.map(({ customerNumber, name }) => `  ${customerNumber}  ${name}`);
    const candidates = error.candidates.map(({ id, customerNumber: number, name }) => ({ number, name, id }));
    return new CommandError(EXIT.ambiguous, 'ambiguous', [error.message, ...lines].join('\n'), { candidates });
  }
  if (error instanceof ServiceError) return refusal(error);
  if (isDatabaseUnavailable(error) && !isLoginRefused(error)) {
    const message =
      'The database does not answer. Does it run (docker compose ps postgres, or npm start), and is DATABASE_URL right?';
    return new CommandError(EXIT.unavailable, 'database_unavailable', message);
  }
  const settings =
    isLoginRefused(error) ||
    [ConfigError, NotMigratedError, UnfitDatabaseError, UnknownSchemaError].some((known) => error instanceof known);
  return settings
    ? new CommandError(EXIT.settings, 'settings', explainStartFailure(error))
    : new CommandError(EXIT.failed, 'internal_error', explainStartFailure(error));
}

function refusal({ code, detail, options }: ServiceError): CommandError {
  // No refusal: a fault, whose cause nothing else shows.
  if (code === 'internal_error')
    return new CommandError(EXIT.failed, code, [detail, explainStartFailure(options.cause)].join('\n'));
  if (code === 'not_found') return new CommandError(EXIT.notFound, code, detail);
  if (code === 'service_unavailable') return new CommandError(EXIT.unavailable, code, detail);
  return new CommandError(EXIT.refused, code, detail);
}
