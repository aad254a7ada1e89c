import type { QueryRunner } from 'typeorm';

/** The customer that the transaction is set to (`app.set_customer`); null when none is set, which no row equals. */
const CURRENT_CUSTOMER = `nullif(current_setting('app.customer_id', true), '')::uuid`;

/** Months that are ready when a database is made; the worker goes on from there. */
const MONTHS_AHEAD = 3;

/** How a customer-owned table is secured. */
export interface CustomerTableAccess {
  /** What the API may do with its rows, such as `select, insert`. Nothing unless given. */
  apiMay?: string;
  /** A condition that rows must meet to exist for the API. It stands in the customer's own policy: one policy a role. */
  visible?: string;
  /** The column that names the customer. */
  customerColumn?: string;
}

/**
 * Puts a customer-owned table behind row level security: the API sees and writes the rows of the customer it is set to, the
 * operator's programs see all. No policy is restrictive, and none has a sub-select: a distributed database ignores the
 * one on its shards and refuses the other.
 */
export async function secureCustomerTable(
  runner: QueryRunner,
  table: string,
  { apiMay, visible, customerColumn = 'customer_id' }: CustomerTableAccess = {},
): Promise<void> {
  const own = [`${customerColumn} = ${CURRENT_CUSTOMER}`, ...(visible ? [visible] : [])].join(' and ');
  await runner.query(`alter table ${table} enable row level security`);
  await runner.query(`alter table ${table} force row level security`);
  await runner.query(`create policy own_customer on ${table} to customer_api using (${own}) with check (${own})`);
  await runner.query(`create policy every_customer on ${table} to account_operator using (true) with check (true)`);
  if (apiMay) await runner.query(`grant ${apiMay} on ${table} to customer_api`);
  await runner.query(`grant select, insert, update, delete on ${table} to account_operator`);
}

/**
 * Prepares a table for rows: it is `partition by range (id)`, with ids that carry time (`app.new_id`), and is secured already.
 * Makes its default partition, for rows that belong to no month's partition, and the partitions of the present and the next
 * months.
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
