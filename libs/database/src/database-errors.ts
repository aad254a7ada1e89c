import { QueryFailedError, QueryRunnerAlreadyReleasedError, QueryRunnerProviderAlreadyReleasedError } from 'typeorm';

/** PostgreSQL can't be reached, or is shutting down or starting; trying again later helps. */
export class DatabaseUnavailableError extends Error {
  constructor(cause?: unknown) {
    super('The database is unavailable', { cause });
  }
}

/** There is more to do than can be done in time; trying again in a moment helps. Nothing was done. */
export class OverloadedError extends DatabaseUnavailableError {}

/** The database has no schema of ours. */
export class NotMigratedError extends Error {
  constructor() {
    super('The database is not migrated');
  }
}

/** The process must not run on the database: its login or role has rights that it should not have, or lacks some. */
export class UnfitDatabaseError extends Error {}

/** SQLSTATE 08 (connection), 53 (out of resources), 57 (operator intervention, statement timeout), 25006 (read-only standby). */
const UNAVAILABLE = /^(08...|53...|57P0.|57014|25006)$/;
const NETWORK = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENOENT',
]);
/** What the driver says without a code. */
const DRIVER =
  /Connection terminated|timeout exceeded when trying to connect|Query read timeout|not queryable|Client was closed/;

/** Tells whether the database was away, as opposed to refusing the statement. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (error instanceof DatabaseUnavailableError) return true;
  // The transaction's connection was lost between two of its statements.
  if (error instanceof QueryRunnerAlreadyReleasedError) return true;
  if (error instanceof QueryRunnerProviderAlreadyReleasedError) return true;
  if (!Error.isError(error)) return false;
  // Node tries every address of a host, and reports all failures in one.
  if ('errors' in error && Array.isArray(error.errors)) return error.errors.some(isDatabaseUnavailable);
  const code = sqlState(error);
  return code === undefined ? DRIVER.test(error.message) : UNAVAILABLE.test(code) || NETWORK.has(code);
}

/** Tells whether a unique key refused a row. Decided by SQLSTATE: a distributed database does not name the key. */
export function isUniqueViolation(error: unknown): boolean {
  return Error.isError(error) && sqlState(error) === '23505';
}

/**
 * Tells whether a prepared statement was not there. It happens to what was sent right behind a statement whose preparation
 * was refused or cancelled; nothing has run, so it can be sent again.
 */
export function isUnknownStatement(error: unknown): boolean {
  return Error.isError(error) && sqlState(error) === '26000';
}

/** Tells whether a prepared statement was there already. Nothing has run. */
export function isDuplicateStatement(error: unknown): boolean {
  return error instanceof Error && sqlState(error) === '42P05';
}

/** Tells whether PostgreSQL refused a statement and goes on serving the connection. */
export function isStatementRefused(error: unknown): boolean {
  return error instanceof Error && (error as { severity?: unknown }).severity === 'ERROR';
}

function sqlState(error: Error): string | undefined {
  const source: unknown = error instanceof QueryFailedError ? error.driverError : error;
  const code = (source as { code?: unknown }).code;
  return typeof code === 'string' ? code : undefined;
}
