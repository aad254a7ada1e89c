import type { QueryRunner } from 'typeorm';

const PRESENT_CUSTOMER = `nullif(current_setting('app.customer_id', true), '')::uuid`;
// In a sub-select, so that a statement reads the list once and not for every row.
const PRESENT_CUSTOMERS = `(select nullif(current_setting('app.customer_ids', true), '')::uuid[])::uuid[]`;

/**
 * Puts a customer-owned table behind row level security: the API sees and writes the rows of the customer it is set to,
 * the operator's programs see all. `apiMay` is what the API may do at all, such as `select, insert`.
 */
export async function secureCustomerTable(
  runner: QueryRunner,
  table: string,
  { apiMay, customerColumn = 'customer_id' }: { apiMay?: string; customerColumn?: string },
): Promise<void> {
  const own = `${customerColumn} = ${PRESENT_CUSTOMER}`;
  await runner.query(`alter table ${table} enable row level security`);
  await runner.query(`alter table ${table} force row level security`);
  await runner.query(`create policy own_customer on ${table} to customer_api using (${own}) with check (${own})`);
  await runner.query(`create policy every_customer on ${table} to account_operator using (true) with check (true)`);
  if (apiMay) await runner.query(`grant ${apiMay} on ${table} to customer_api`);
  await runner.query(`grant select, insert, update, delete on ${table} to account_operator`);
}

/** Lets statements on a customer-owned table serve several customers at a time: those of `app.set_customers`, no others. */
export async function openToBatches(runner: QueryRunner, table: string): Promise<void> {
  // IS TRUE keeps the planner from looking rows up by the list, all of the batch's for each of its customers.
  const among = `(customer_id = any (${PRESENT_CUSTOMERS})) is true`;
  await runner.query(
    `create policy customers_of_batch on ${table} to customer_api using (${among}) with check (${among})`,
  );
}

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

/**
 * For functions that only ever look rows up by their keys. A function's plans are made when it first runs and kept: on
 * tables that are still small they would read the whole table, and go on doing so when it has grown.
 */
export const LOOK_UP_BY_KEY =
  'set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off';

/** Lets the service's roles, and nobody else, call a function. `signature` has its argument types. */
export async function exposeFunction(
  runner: QueryRunner,
  signature: string,
  roles = ['customer_api', 'account_operator'],
): Promise<void> {
  await runner.query(`revoke all on function ${signature} from public`);
  await runner.query(`grant execute on function ${signature} to ${roles.join(', ')}`);
}
