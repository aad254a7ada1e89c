import type { Client } from 'pg';
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

/** Waits until this many statements of the database wait for a lock. */
export async function waitForLocks(superuser: Client, count: number): Promise<void> {
  await until(async () => {
    const { rows } = await superuser.query<{ waiting: number }>(
      `select count(*)::int as waiting from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return (rows[0]?.waiting ?? 0) >= count;
  });
}
