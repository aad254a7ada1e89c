import type { DataSource } from 'typeorm';

/** Number of customers per query. */
const CUSTOMERS = 1_000;
const NO_CUSTOMER = '00000000-0000-0000-0000-000000000000';

/**
 * Runs a statement for one customer after the other, for each until it finds nothing more: each run is a transaction of its own and
 * changes a few hundred rows at most, so that nobody waits for it for long.
 * @param statement of the customer `$1` and `values` from `$2` on; it returns how many rows it changed, as `done`
 * @returns how many rows were changed; what an aborted signal leaves is found by the next run
 */
export async function purgeEachCustomer(
  dataSource: DataSource,
  statement: string,
  values: readonly unknown[],
  signal?: AbortSignal,
): Promise<number> {
  let total = 0;
  for (let last = NO_CUSTOMER; ;) {
    const customers = await dataSource.query<{ id: string }[]>(
      'select id from customer where id > $1 order by id limit $2',
      [last, CUSTOMERS],
    );
    for (const { id } of customers) {
      for (let done = -1; done !== 0; total += done) {
        if (signal?.aborted) return total;
        const [row] = await dataSource.query<{ done: number }[]>(statement, [id, ...values]);
        done = row?.done ?? 0;
      }
      last = id;
    }
    if (customers.length < CUSTOMERS) return total;
  }
}
