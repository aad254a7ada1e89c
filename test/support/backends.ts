import type { Client } from 'pg';
import { databaseOn, databaseServer, onNode } from './database-server';

/**
 * How many other backends of the test's database a condition holds for (columns of `pg_stat_activity`): on a cluster, those of
 * all nodes, because a statement waits where the rows are.
 */
export async function countBackends(superuser: Client, condition: string): Promise<number> {
  const statement = `
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and (${condition})`;
  const [, ...workers] = (await databaseServer()).nodes;
  const counts = await Promise.all([
    superuser.query<{ count: number }>(statement).then(({ rows }) => rows),
    ...workers.map((node) => onNode<{ count: number }>(databaseOn(node, superuser.database ?? ''), statement)),
  ]);
  return counts.flat().reduce((sum, { count }) => sum + count, 0);
}
