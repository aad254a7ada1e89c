import type { QueryRunner } from 'typeorm';

/** On a Citus cluster, spreads a customer-owned table over the workers; elsewhere does nothing. */
export async function distribute(runner: QueryRunner, table: string): Promise<void> {
  if (await hasCitus(runner)) await runner.query(`select create_distributed_table('${table}', 'customer_id')`);
}

/** On a Citus cluster, keeps a small table on every worker; elsewhere does nothing. */
export async function replicate(runner: QueryRunner, table: string): Promise<void> {
  if (await hasCitus(runner)) await runner.query(`select create_reference_table('${table}')`);
}

async function hasCitus(runner: QueryRunner): Promise<boolean> {
  const found = (await runner.query(`select 1 from pg_extension where extname = 'citus'`)) as unknown[];
  return found.length > 0;
}
