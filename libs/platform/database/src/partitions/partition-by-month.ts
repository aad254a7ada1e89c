import type { QueryRunner } from 'typeorm';

/** Months that are ready when a database is made; the worker goes on from there. */
const MONTHS_AHEAD = 3;

/**
 * Prepares a table for rows: it is `partition by range (id)`, with ids that carry time (`app.new_id`), and is secured already.
 * Makes its default partition, which takes in what no month does, and those of the present and the next months.
 */
export async function partitionByMonth(runner: QueryRunner, table: string): Promise<void> {
  await runner.query(`create table partitions.${table}_default partition of ${table} default`);
  await runner.query(`select app.secure_partition('${table}', 'partitions.${table}_default')`);
  for (let ahead = 0; ahead <= MONTHS_AHEAD; ahead++) {
    await runner.query(
      `select app.create_partition('${table}', ((app.now() at time zone 'UTC') + interval '${ahead} months')::date)`,
    );
  }
}
