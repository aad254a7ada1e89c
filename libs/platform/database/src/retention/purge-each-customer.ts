import type { DataSource } from 'typeorm';
import { customerPages } from './customer-pages';

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
  for await (const page of customerPages(dataSource)) {
    for (const id of page) {
      for (let done = -1; done !== 0; total += done) {
        if (signal?.aborted) return total;
        const [row] = await dataSource.query<{ done: number }[]>(statement, [id, ...values]);
        done = row?.done ?? 0;
      }
    }
  }
  return total;
}
