import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { QueryRunner } from 'typeorm';
import { isIrreplaceable } from '../database-errors';

/** The roles of the service's programs. */
const ROLES = ['customer_api', 'account_operator'] as const;

/** Who may call a function, with whose rights it runs, and where. */
export interface FunctionAccess {
  /** The roles that may call it: both unless given. */
  roles?: readonly (typeof ROLES)[number][];
  /** For a `security definer` function: it runs with the rights of `account_operator`. */
  asOperator?: boolean;
  /**
   * On a cluster it may run on the node that has the rows of the customer, its first parameter. Only for a function that
   * accesses nothing but that customer's rows and tables that every node has.
   */
  delegated?: Delegation;
}

/** How a cluster runs a function on the node of a customer. */
export interface Delegation {
  /** A table that is distributed by the customer: the function runs where its rows are. */
  table: string;
  /** How long it waits for a lock. A cluster's nodes do not hear the connection's setting; on one server it suffices. */
  lockTimeout?: string;
  /**
   * It runs there in a transaction of several statements, too: on the coordinator it would write with another role, and so over
   * another connection, than the statements before it, which a cluster refuses.
   */
  inTransactions?: boolean;
}

/** A `.sql` file with functions of one subject in the schema `app`. */
export interface FunctionFile {
  path: string;
  /** By name, without the schema: each function of the file. */
  functions: Readonly<Record<string, FunctionAccess>>;
}

/** The planner puts such a function's statement into that of its caller. */
const INLINED = /\breturns setof\b[^$]*\blanguage sql\b(?![^$]*\bset \w+ =)/;
const DEFINITION = /^create or replace function app\.(\w+)\(/m;

/**
 * Creates or replaces the functions of these files, in their order, for the roles that may call them and nobody else. Statements
 * that run meanwhile are not disturbed: a function that is replaced stays the same object.
 */
export async function applyFunctions(runner: QueryRunner, files: readonly FunctionFile[]): Promise<void> {
  const onCluster = await hasCitus(runner);
  for (const file of files) {
    for (const { name, sql, access } of definitions(file)) {
      await runner.query(sql).catch((error: unknown) => {
        throw isIrreplaceable(error) ? new IrreplaceableError(name, error) : error;
      });
      if (onCluster && access.delegated) await setForCluster(runner, `app.${name}`, access.delegated);
      // A node refuses a statement that gets to distributed tables in this way. A function with settings is called instead.
      if (onCluster && INLINED.test(sql))
        await runner.query(`alter function app.${name} set plan_cache_mode = force_custom_plan`);
      // With other parameters it is another function, beside the former one.
      if (runner.isTransactionActive) await dropFormer(runner, name);
      await restrict(runner, `app.${name}`, access);
    }
  }
}

/** The functions of a release of the service. */
export interface FunctionSet {
  files: readonly FunctionFile[];
  /** The release that has them, such as `1.0.0`. */
  release: string;
  /** The oldest release whose programs work with them and with the tables: until that one can be gone back to. */
  usableFrom: string;
}

/**
 * Makes these the functions of the schema `app`, in one transaction: creates or replaces them, and drops those that no file
 * has any more. Does nothing if they are what they were when the same files were applied.
 */
export async function applyAllFunctions(runner: QueryRunner, set: FunctionSet): Promise<void> {
  if (await areApplied(runner, set)) return;
  await replaceFunctions(runner, set.files, async () => {
    await dropFormer(runner);
    const { present } = await readRecord(runner);
    await runner.query(`comment on schema app is '${recordOf(set, await hasCitus(runner))} ${present}'`);
  });
}

/**
 * {@link applyFunctions}, all or none: nobody may call a function before its rights are restricted. A function with another
 * result, or other names of parameters, cannot replace the former one: that one is dropped first, in the same transaction.
 * @param more done in the transaction too
 */
export async function replaceFunctions(
  runner: QueryRunner,
  files: readonly FunctionFile[],
  more: () => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const dropped = new Set<string>();
  for (;;) {
    await runner.startTransaction();
    try {
      for (const name of dropped) await dropFormer(runner, name);
      await applyFunctions(runner, files);
      await more();
      return await runner.commitTransaction();
    } catch (error) {
      await runner.rollbackTransaction();
      if (!(error instanceof IrreplaceableError)) throw error;
      if (dropped.has(error.functionName)) throw error.cause;
      dropped.add(error.functionName);
    }
  }
}

/** Whether the functions of the schema are what they were when these files were applied, and nothing was changed by hand. */
export async function areApplied(runner: QueryRunner, set: FunctionSet): Promise<boolean> {
  const { record, present } = await readRecord(runner);
  return record === `${recordOf(set, await hasCitus(runner))} ${present}`;
}

/**
 * Records that the migrations of a release begin: from the first of them on, a release before it would not know the schema. Its functions
 * are not applied yet, and so the next run goes on.
 */
export async function recordMigrating(
  runner: QueryRunner,
  { release, usableFrom }: Omit<FunctionSet, 'files'>,
): Promise<void> {
  await runner.query(`comment on schema app is '${releaseOf({ release, usableFrom })}, migrating'`);
}

/**
 * The release that applied its functions last, or whose migrations have begun since, and the oldest one that can use them; undefined if
 * none did.
 */
export async function appliedRelease(runner: QueryRunner): Promise<Omit<FunctionSet, 'files'> | undefined> {
  const { record } = await readRecord(runner);
  const [, release, usableFrom] = /^functions of release (\S+), usable from (\S+), /.exec(record ?? '') ?? [];
  return release === undefined || usableFrom === undefined ? undefined : { release, usableFrom };
}

/**
 * The comment on the schema: the release, a digest of its files, and one of the functions as the catalogue had them then; and
 * that digest of the present ones. It covers texts, settings, owners and rights.
 */
async function readRecord(runner: QueryRunner): Promise<{ record: string | null; present: string }> {
  const [row] = (await runner.query(`
    select obj_description(to_regnamespace('app'), 'pg_namespace') as record, md5(coalesce(string_agg(
      concat(pg_get_functiondef(p.oid), pg_get_userbyid(p.proowner), p.proacl), '' order by p.oid::regprocedure::text collate "C"), ''))
      as present
    from pg_proc p where p.pronamespace = to_regnamespace('app')`)) as [{ record: string | null; present: string }];
  return row;
}

/** A function that a new definition cannot replace. */
class IrreplaceableError extends Error {
  constructor(
    readonly functionName: string,
    cause: unknown,
  ) {
    super(`The function app.${functionName} cannot be replaced`, { cause });
  }
}

/**
 * In the transaction that applies functions: a row of the catalogue that it has not written is of a former one. Drops all of
 * them, or those of a name.
 */
async function dropFormer(runner: QueryRunner, name: string | null = null): Promise<void> {
  const former = (await runner.query(
    `select p.oid::regprocedure::text as signature from pg_proc p
     where p.pronamespace = 'app'::regnamespace and p.xmin <> pg_current_xact_id()::xid and p.proname = coalesce($1, p.proname)`,
    [name],
  )) as { signature: string }[];
  for (const { signature } of former) await runner.query(`drop function ${signature}`);
}

/** On a cluster they have further settings. */
function recordOf({ files, release, usableFrom }: FunctionSet, onCluster: boolean): string {
  const texts = files.flatMap((file) => definitions(file).map(({ sql, access }) => [sql, access]));
  const digest = createHash('sha256')
    .update(JSON.stringify([onCluster, texts]))
    .digest('hex');
  return `${releaseOf({ release, usableFrom })}, ${digest}`;
}

/** The record's beginning, which every release reads. */
function releaseOf({ release, usableFrom }: Omit<FunctionSet, 'files'>): string {
  return `functions of release ${release}, usable from ${usableFrom}`;
}

/** A cluster's coordinator takes definitions one by one. */
function definitions({ path, functions }: FunctionFile): { name: string; sql: string; access: FunctionAccess }[] {
  const statements = readFileSync(path, 'utf8').split(/^(?=create )/m);
  const defined = statements
    .filter((sql) => sql.startsWith('create '))
    .map((sql) => ({ name: DEFINITION.exec(sql)?.[1] ?? '', sql }));
  const names = defined.map(({ name }) => name);
  if (names.join() !== Object.keys(functions).join())
    throw new Error(
      `${path} defines ${names.join()} with "create or replace function", not ${Object.keys(functions).join()}`,
    );
  return defined.map(({ name, sql }) => ({ name, sql, access: functions[name] as FunctionAccess }));
}

async function restrict(
  runner: QueryRunner,
  name: string,
  { roles = ROLES, asOperator }: FunctionAccess,
): Promise<void> {
  if (asOperator) {
    // The new owner must have the right to create in the schema, while it becomes the owner.
    await runner.query(`grant create on schema app to account_operator`);
    await runner.query(`alter function ${name} owner to account_operator`);
    await runner.query(`revoke create on schema app from account_operator`);
  }
  await runner.query(`revoke all on function ${name} from ${['public', ...ROLES].join(', ')}`);
  await runner.query(`grant execute on function ${name} to ${roles.join(', ')}`);
}

/** The settings of a function that runs on the node of a customer, with its definition: nobody calls it without them. */
async function setForCluster(runner: QueryRunner, name: string, { lockTimeout }: Delegation): Promise<void> {
  // With plans for any value, Citus 13.2.1 and 13.2.2 make a local plan at every execution and never free it: the
  // connections between the nodes grow by 0.3 MB with each call of the ledger.
  await runner.query(`alter function ${name} set plan_cache_mode = force_custom_plan`);
  if (lockTimeout) await runner.query(`alter function ${name} set lock_timeout = '${lockTimeout}'`);
}

/** Whether the database is one of a Citus cluster's. */
export async function hasCitus(runner: QueryRunner): Promise<boolean> {
  const found = (await runner.query(`select from pg_extension where extname = 'citus'`)) as unknown[];
  return found.length > 0;
}
