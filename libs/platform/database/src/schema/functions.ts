import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { QueryRunner } from 'typeorm';

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
}

/** A `.sql` file with functions of one subject in the schema `app`. */
export interface FunctionFile {
  path: string;
  /** By name, without the schema: each function of the file. */
  functions: Readonly<Record<string, FunctionAccess>>;
}

const DEFINITION = /^create or replace function app\.(\w+)\(/m;

/**
 * Creates or replaces the functions of these files, in their order, for the roles that may call them and nobody else. Statements
 * that run meanwhile are not disturbed: a function that is replaced stays the same object.
 */
export async function applyFunctions(runner: QueryRunner, files: readonly FunctionFile[]): Promise<void> {
  for (const file of files) {
    for (const { name, sql, access } of definitions(file)) {
      await runner.query(sql);
      // With other parameters it is another function, beside the former one.
      if (runner.isTransactionActive) await dropFormer(runner, name);
      await restrict(runner, `app.${name}`, access);
    }
  }
}

/**
 * Makes these the functions of the schema `app`, in one transaction: creates or replaces them, and drops those that no file
 * has any more. Does nothing if the same files, with the same access, were applied last.
 */
export async function applyAllFunctions(runner: QueryRunner, files: readonly FunctionFile[]): Promise<void> {
  if (await areApplied(runner, files)) return;
  await inTransaction(runner, async () => {
    await applyFunctions(runner, files);
    await dropFormer(runner);
    await runner.query(`comment on schema app is '${versionOf(files)}'`);
  });
}

/** {@link applyFunctions}, all or none: nobody may call a function before its rights are restricted. */
export function replaceFunctions(runner: QueryRunner, files: readonly FunctionFile[]): Promise<void> {
  return inTransaction(runner, () => applyFunctions(runner, files));
}

async function inTransaction(runner: QueryRunner, work: () => Promise<void>): Promise<void> {
  await runner.startTransaction();
  try {
    await work();
    await runner.commitTransaction();
  } catch (error) {
    await runner.rollbackTransaction();
    throw error;
  }
}

/** Whether these files were the last that were applied: the comment on the schema says so. */
export async function areApplied(runner: QueryRunner, files: readonly FunctionFile[]): Promise<boolean> {
  const [row] = (await runner.query(`select obj_description(to_regnamespace('app'), 'pg_namespace') as version`)) as [
    { version: string | null },
  ];
  return row.version === versionOf(files);
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

function versionOf(files: readonly FunctionFile[]): string {
  const texts = files.flatMap((file) => definitions(file).map(({ sql, access }) => [sql, access]));
  return `functions ${createHash('sha256').update(JSON.stringify(texts)).digest('hex')}`;
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
  const others = ROLES.filter((role) => !roles.includes(role) && !(asOperator && role === 'account_operator'));
  await runner.query(`revoke all on function ${name} from ${['public', ...others].join(', ')}`);
  await runner.query(`grant execute on function ${name} to ${roles.join(', ')}`);
}
