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

/** The database has tables that the migrations of this version did not make. Nothing in it was changed. */
export class UnknownSchemaError extends Error {
  /** @param sign what tells so, such as `no table sms_message` */
  constructor(sign: string) {
    super(
      `The database was made by another version of this service (it has ${sign}), and this one cannot update it; nothing in it ` +
        `was changed. Run that version, or start with an empty database: let DATABASE_URL name one or, if npm start made ` +
        `this one, move the folder .data/postgres away`,
    );
  }
}

/** The process must not run on the database: its login or role has rights that it should not have, or lacks some. */
export class UnfitDatabaseError extends Error {}

/**
 * SQLSTATE 08 (connection), 53 (out of resources), 57P0 (operator intervention), 57014 (statement timeout), 58030 (disk),
 * 25006 (read-only standby), 25P03 and 25P04 (a transaction ended for its duration).
 */
const UNAVAILABLE = /^(08...|53...|57P0.|57014|58030|25006|25P0[34])$/;
/** SQLSTATE of a transaction that met another: serialization failure, deadlock, lock not available. */
const CONFLICT = /^(40001|40P01|55P03)$/;
/** Codes of Node's: no way to the server, or nothing left to open one with. */
const NETWORK = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'ENOENT'],
  ...['EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH', 'ENETDOWN', 'EADDRNOTAVAIL'],
  ...['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM'],
]);
/** What the driver and its pool say without a code. */
const DRIVER =
  /^(Connection terminated|timeout expired$|timeout exceeded when trying to connect$|Query read timeout$|Cannot use a pool after)|not queryable$/;

/**
 * Tells whether the database was away, as opposed to refusing the statement. All failures of the database and of connections
 * to it are told apart here, by their code where there is one; `database-errors.spec.ts` lists them.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (error instanceof DatabaseUnavailableError) return true;
  // The transaction's connection was lost between two of its statements.
  if (error instanceof QueryRunnerAlreadyReleasedError) return true;
  if (error instanceof QueryRunnerProviderAlreadyReleasedError) return true;
  if (!Error.isError(error)) return false;
  // Node tries every address of a host, and reports all failures in one.
  if ('errors' in error && Array.isArray(error.errors)) return error.errors.some(isDatabaseUnavailable);
  const { code, severity } = told(error);
  // Whatever it is about, the server has ended the connection or not even begun it.
  if (severity === 'FATAL' || severity === 'PANIC') return true;
  return code === undefined ? DRIVER.test(error.message) : UNAVAILABLE.test(code) || NETWORK.has(code);
}

/** The error itself, or DatabaseUnavailableError for one that tells that the database was away. */
export function asUnavailable(error: unknown): unknown {
  return isDatabaseUnavailable(error) ? new DatabaseUnavailableError(error) : error;
}

/** Tells whether the server answers and does not let this login in, for its password, its role or the database's name. */
export function isLoginRefused(error: unknown): boolean {
  if (!Error.isError(error)) return false;
  const { code, severity } = told(error);
  return severity === 'FATAL' && /^(28...|3D000|22023|42501|42704)$/.test(code ?? '');
}

/** Tells whether the same statement may succeed later: the database was away, or the statement met another transaction. */
export function isTransientFailure(error: unknown): boolean {
  return isDatabaseUnavailable(error) || (Error.isError(error) && CONFLICT.test(told(error).code ?? ''));
}

/** Tells whether the reply to a statement did not come in time, as opposed to a refusal that did. */
export function isNoReply(error: unknown): boolean {
  return Error.isError(error) && error.message === 'Query read timeout';
}

/** Tells whether a unique key refused a row. Decided by SQLSTATE: a distributed database does not name the key. */
export function isUniqueViolation(error: unknown): boolean {
  return Error.isError(error) && told(error).code === '23505';
}

/** Tells whether a statement was given up because another transaction keeps a lock that it needs. Nothing has run. */
export function isLockTimeout(error: unknown): boolean {
  return Error.isError(error) && told(error).code === '55P03';
}

/** Tells whether a value can't be stored (SQLSTATE 22), or a rule of the schema forbids it (23). */
export function isDataRefused(error: unknown): boolean {
  return Error.isError(error) && /^2[23]/.test(told(error).code ?? '');
}

/**
 * Tells whether a prepared statement was not there. It happens to what was sent right behind a statement whose preparation
 * was refused or cancelled; nothing has run, so it can be sent again.
 */
export function isUnknownStatement(error: unknown): boolean {
  return Error.isError(error) && told(error).code === '26000';
}

/** Tells whether a prepared statement was there already. Nothing has run. */
export function isDuplicateStatement(error: unknown): boolean {
  return error instanceof Error && told(error).code === '42P05';
}

/** Tells whether PostgreSQL refused a statement and goes on serving the connection. */
export function isStatementRefused(error: unknown): boolean {
  return error instanceof Error && (error as { severity?: unknown }).severity === 'ERROR';
}

/** What the server or Node says of a failure. */
function told(error: Error): { code?: string; severity?: unknown } {
  const source: unknown = error instanceof QueryFailedError ? error.driverError : error;
  const { code, severity } = source as { code?: unknown; severity?: unknown };
  return { ...(typeof code === 'string' && { code }), severity };
}
