import type { Client } from 'pg';
import { QueryFailedError, QueryRunnerAlreadyReleasedError, QueryRunnerProviderAlreadyReleasedError } from 'typeorm';

/** PostgreSQL cannot be reached, or is starting or shutting down; a later retry may succeed. */
export class DatabaseUnavailableError extends Error {
  constructor(cause?: unknown) {
    super('The database is unavailable', { cause });
  }
}

/** The database has more work than it can do in time; a retry after a moment may succeed. Nothing was done. */
export class OverloadedError extends DatabaseUnavailableError {}

/** The database has no schema of this service. */
export class NotMigratedError extends Error {
  constructor() {
    super('The database is not migrated');
  }
}

/** The database has tables that the migrations of this version did not make. Nothing in it was changed. */
export class UnknownSchemaError extends Error {
  /** @param sign the difference that was found, such as `no table sms_message` */
  constructor(sign: string) {
    super(
      `The database was made by another version of this service (it has ${sign}), and this one cannot update it; nothing in it ` +
        `was changed. Run that version, or start with an empty database: let DATABASE_URL name one or, if npm start made ` +
        `this one, move the folder .data/postgres away`,
    );
  }
}

/** A migration does not get a table that it changes: a long transaction uses it. Nothing of that migration was done. */
export class TablesInUseError extends Error {
  constructor(cause: unknown) {
    const statement = cause instanceof QueryFailedError ? ` (${cause.query.trim().split(/\s+/, 6).join(' ')} …)` : '';
    super(
      `Tables to be migrated are in use by a long transaction, such as that of a backup${statement}: programs that run go on as before. ` +
        'Run the migrations again when it has ended',
      { cause },
    );
  }
}

/** The process must not run on the database: its login or role has too many rights, or lacks some. */
export class UnfitDatabaseError extends Error {}

/**
 * SQLSTATE 08 (connection), 53 (out of resources), 57P0 (operator intervention), 57014 (statement timeout), 58030 (disk),
 * 25006 (read-only standby), 25P03 and 25P04 (a transaction ended for its duration).
 */
const UNAVAILABLE = /^(08...|53...|57P0.|57014|58030|25006|25P0[34])$/;
/** SQLSTATE of a transaction that met another: serialization failure, deadlock, lock not available. */
const CONFLICT = /^(40001|40P01|55P03)$/;
/** Error codes of Node: the server cannot be reached, or no connection can be opened. */
const NETWORK = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'ENOENT'],
  ...['EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH', 'ENETDOWN', 'EADDRNOTAVAIL'],
  ...['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM'],
]);
/** Messages of the driver and its pool that have no code. */
const DRIVER =
  /^(Connection terminated|timeout expired$|timeout exceeded when trying to connect$|Query read timeout$|Cannot use a pool after)|not queryable$/;

/**
 * Whether the database was unavailable, as opposed to refusing the statement. All failures of the database and its
 * connections are classified here, by their code if there is one; `database-errors.spec.ts` lists them.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (error instanceof DatabaseUnavailableError) return true;
  // The transaction's connection was lost between two of its statements.
  if (error instanceof QueryRunnerAlreadyReleasedError) return true;
  if (error instanceof QueryRunnerProviderAlreadyReleasedError) return true;
  if (!Error.isError(error)) return false;
  // Node tries every address of a host, and reports all failures in one error.
  if ('errors' in error && Array.isArray(error.errors)) return error.errors.some(isDatabaseUnavailable);
  // For any reason, the server has closed or refused the connection.
  if (endsConnection(error)) return true;
  const { code } = detailsOf(error);
  return code === undefined ? DRIVER.test(error.message) : UNAVAILABLE.test(code) || NETWORK.has(code);
}

/** The error itself, or DatabaseUnavailableError for one that tells that the database was away. */
export function asUnavailable(error: unknown): unknown {
  return isDatabaseUnavailable(error) ? new DatabaseUnavailableError(error) : error;
}

/** Whether the server refuses this login, because of its password, its role or the database's name. */
export function isLoginRefused(error: unknown): boolean {
  if (!Error.isError(error)) return false;
  return endsConnection(error) && /^(28...|3D000|22023|42501|42704)$/.test(detailsOf(error).code ?? '');
}

/**
 * Whether the same statement may succeed later: the database was unavailable, or the statement conflicted with another
 * transaction.
 */
export function isTransientFailure(error: unknown): boolean {
  return isDatabaseUnavailable(error) || (Error.isError(error) && CONFLICT.test(detailsOf(error).code ?? ''));
}

/** Whether a write that failed may have been done all the same: the database was lost, and its reply with it. */
export function mayHaveRun(error: unknown): boolean {
  return isDatabaseUnavailable(error) && !(error instanceof OverloadedError);
}

/** Whether a unique key refused a row. Decided by SQLSTATE: a distributed database does not name the key. */
export function isUniqueViolation(error: unknown): boolean {
  return Error.isError(error) && detailsOf(error).code === '23505';
}

/**
 * Whether a statement was cancelled because another transaction holds a lock that it needs: it waited for too long, or gave way in
 * a deadlock, which a cluster finds between its nodes. Nothing has run.
 */
export function isLockTimeout(error: unknown): boolean {
  return Error.isError(error) && /^(55P03|40P01)$/.test(detailsOf(error).code ?? '');
}

/** Whether a statement was cancelled because it took too long. */
export function isCancelled(error: unknown): boolean {
  return Error.isError(error) && detailsOf(error).code === '57014';
}

/** Whether a function was not replaced because its result, or the name or default of a parameter, would be another. */
export function isIrreplaceable(error: unknown): boolean {
  return Error.isError(error) && detailsOf(error).code === '42P13';
}

/** Whether a value cannot be stored (SQLSTATE 22), or a rule of the schema forbids it (23). */
export function isDataRefused(error: unknown): boolean {
  return Error.isError(error) && /^2[23]/.test(detailsOf(error).code ?? '');
}

/**
 * Whether a prepared statement did not exist. It happens to statements that were sent right behind one whose
 * preparation was refused or cancelled; nothing has run, so it can be sent again.
 */
export function isUnknownStatement(error: unknown): boolean {
  return Error.isError(error) && detailsOf(error).code === '26000';
}

/** Whether a prepared statement existed already. Nothing has run. */
export function isDuplicateStatement(error: unknown): boolean {
  return error instanceof Error && detailsOf(error).code === '42P05';
}

/** Whether PostgreSQL refused a statement and keeps the connection open. */
export function isStatementRefused(error: unknown): boolean {
  return error instanceof Error && detailsOf(error).severity !== undefined && !endsConnection(error);
}

/** SQLSTATE of errors of the server behind which it closes the connection, or has refused it. */
const ENDS_CONNECTION = /^(08...|28...|3D000|53300|57P0.|25P0[34])$/;

/**
 * Whether the server has closed or refused the connection. The driver knows the severity in the server's language alone (lc_messages):
 * in another one than English the SQLSTATE has to tell.
 */
function endsConnection(error: Error): boolean {
  const { code, severity } = detailsOf(error);
  if (severity === undefined || severity === 'ERROR') return false;
  return severity === 'FATAL' || severity === 'PANIC' || ENDS_CONNECTION.test(code ?? '');
}

/** Code, severity and message of an error. */
function detailsOf(error: Error): { code?: string; severity?: unknown } {
  const source: unknown = error instanceof QueryFailedError ? error.driverError : error;
  const { code, severity } = source as { code?: unknown; severity?: unknown };
  return { ...(typeof code === 'string' && { code }), severity };
}

/** States of PostgreSQL, and not faults of a statement, by SQLSTATE. */
const REASONS = {
  '53100': 'disk_full',
  '58030': 'disk_error',
  '53200': 'out_of_memory',
  '53300': 'too_many_connections',
  '25006': 'read_only',
  XX001: 'corrupted',
  XX002: 'corrupted',
} as const;

/** Why PostgreSQL refuses a statement that is right in itself. */
export type Refusal = (typeof REASONS)[keyof typeof REASONS];

/** All reasons. */
export const REFUSALS: readonly Refusal[] = [...new Set(Object.values(REASONS))];

/** How often this process was refused for each reason, on all of its connections. */
export const refusalCounts = Object.fromEntries(REFUSALS.map((reason) => [reason, 0])) as Record<Refusal, number>;

/** Counts the refusals of the server on a connection, also while it connects. */
export function countRefusals(client: Client): void {
  // The driver's connection, which its types leave out.
  const { connection } = client as unknown as { connection: NodeJS.EventEmitter };
  connection.on('errorMessage', ({ code }: { code?: string }) => {
    const reason = (REASONS as Partial<Record<string, Refusal>>)[code ?? ''];
    if (reason) refusalCounts[reason]++;
  });
}
