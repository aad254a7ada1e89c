import type { Client } from 'pg';
import { countBackends } from './backends';
import { connectAsSuperuser, type TestDatabase } from './test-database';
import { until } from './until';

/**
 * Locks what a statement locks (`select … for update`, `lock table …`), like another process.
 * @returns a function that releases the lock
 */
export async function holdLock(
  database: TestDatabase,
  statement: string,
  values: unknown[] = [],
): Promise<() => Promise<void>> {
  const holder = await connectAsSuperuser(database);
  await holder.query('begin');
  await holder.query(statement, values);
  return async () => {
    await holder.query('rollback');
    await holder.end();
  };
}

/** Creates the partition of a month. It waits 100 ms for its lock, which autovacuum may hold for longer: as its job does, it tries again. */
export async function createPartition(superuser: Client, table: string, month: string): Promise<void> {
  await until(() =>
    superuser.query('select app.create_partition($1, $2)', [table, month]).then(
      () => true,
      (error: unknown) => {
        if ((error as { code?: string }).code === '55P03') return false;
        throw error;
      },
    ),
  );
}

/** Waits until this many statements of the database wait for a lock. */
export async function waitForLocks(superuser: Client, count: number): Promise<void> {
  await until(async () => (await countBackends(superuser, `wait_event_type = 'Lock'`)) >= count);
}
