import { ConfigError } from '@platform/config';
import {
  isDatabaseUnavailable,
  NotMigratedError,
  TablesInUseError,
  UnfitDatabaseError,
  UnknownSchemaError,
} from '@platform/database';

/** Errors whose message says all. */
const KNOWN = [ConfigError, TablesInUseError, UnfitDatabaseError, UnknownSchemaError];

/** Explains why a process could not start: a line for each fault, no stack for known ones. */
export function explainStartFailure(error: unknown): string {
  if (KNOWN.some((known) => error instanceof known)) return (error as Error).message;
  if (error instanceof AggregateError && error.errors.length > 0) return explainStartFailure(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  const { code, address, port, syscall } = error as NodeJS.ErrnoException & { address?: string; port?: number };
  if (code === 'EADDRINUSE')
    return `Port ${port ?? '?'} is taken: stop the program that listens on it, or set another (PORT, OPERATOR_PORT, INTERNAL_PORT)`;
  if (code === 'EACCES' && port)
    return `Port ${port} may not be used by this user: set another (PORT, OPERATOR_PORT, INTERNAL_PORT)`;
  // Other than a port: an address that is none of this machine.
  if (syscall === 'listen')
    return `Nothing can listen at ${address ?? '?'}, port ${port ?? '?'} (${code ?? error.message}): set another address (HOST, OPERATOR_HOST, INTERNAL_HOST)`;
  if (code === 'ECONNREFUSED') return `The database does not answer at ${address ?? '?'}:${port ?? '?'} (DATABASE_URL)`;
  if (code === '28P01' || code === '28000') return 'The database refuses the user or password in DATABASE_URL';
  if (code === '3D000') return 'The database named in DATABASE_URL does not exist';
  if (error instanceof NotMigratedError || code === '22023' || code === '42704')
    return 'The database is not migrated: run npm run migrate (with containers: docker compose run --rm migrate)';
  if (code === '42501') return `The login in DATABASE_URL lacks a right: ${error.message}`;
  if (isDatabaseUnavailable(error)) return `The database does not answer (DATABASE_URL): ${error.message}`;
  return error.stack ?? error.message;
}
