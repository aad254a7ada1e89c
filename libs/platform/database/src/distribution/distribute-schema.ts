import type { QueryRunner } from 'typeorm';
import type { ForwardMigration } from '../migrations/forward-migration';
import { copyFunctions } from './copy-functions';
import { delegateFunctions } from './delegate-functions';
import { planTables } from './plan-tables';

/** Roles whose connections the coordinator passes on to the workers: there they must be allowed to log in. */
const ROLES = ['customer_api', 'account_operator'];

/**
 * On a Citus cluster, distributes what is not distributed yet; elsewhere does nothing. Runs after the migrations, which are
 * the same for one server and for a cluster, so it also distributes a restored dump of a single server. What it was
 * interrupted in it goes on with when it is run again.
 */
export async function distributeSchema(runner: QueryRunner, migrations: readonly ForwardMigration[]): Promise<void> {
  if (!(await hasCitus(runner))) return;
  for (const role of ROLES) {
    await runner.query(`alter role ${role} login`);
    // As the programs' own connections have it, which do not pass it on.
    await runner.query(`alter role ${role} set jit = off`);
  }
  const plan = await planTables(
    runner,
    migrations.flatMap(({ tables }) => tables),
  );
  // A distributed table may only refer to a table that is distributed already, or that every node has.
  for (const table of plan.reference) await runner.query(`select create_reference_table($1)`, [table]);
  for (const table of plan.distributed)
    await runner.query(`select create_distributed_table($1, 'customer_id')`, [table]);
  await copyFunctions(runner);
  await delegateFunctions(
    runner,
    migrations.flatMap(({ delegatedFunctions }) => delegatedFunctions),
  );
  for (const { delegatedLockTimeouts } of migrations) {
    for (const [name, timeout] of Object.entries(delegatedLockTimeouts))
      await runner.query(`alter function ${name} set lock_timeout = '${timeout}'`);
  }
}

/** Whether the database is one of a Citus cluster's. */
export async function hasCitus(runner: Pick<QueryRunner, 'query'>): Promise<boolean> {
  const found = (await runner.query(`select from pg_extension where extname = 'citus'`)) as unknown[];
  return found.length > 0;
}
