import type { DataSource } from 'typeorm';
import { LEAST_ID } from './reads/keyset-pages';

/** Number of customers per query. */
const CUSTOMERS = 1_000;

const ALL = 'select id from customer where id > $1 order by id limit $2';

/**
 * The ids of customers, page by page: work on many customers holds no long transaction.
 * @param find the statement that finds them as `id`, in that order: after `$1`, at most `$2`, `values` from `$3` on; default all
 */
export async function* customerPages(
  dataSource: DataSource,
  find = ALL,
  values: readonly unknown[] = [],
): AsyncGenerator<string[]> {
  for (let last = LEAST_ID; ;) {
    const found = await dataSource.query<{ id: string }[]>(find, [last, CUSTOMERS, ...values]);
    const page = found.map(({ id }) => id);
    if (page.length > 0) yield page;
    if (page.length < CUSTOMERS) return;
    last = page.at(-1) ?? last;
  }
}

const WITH_NODE = `
  select id, p.groupid as node from unnest($1::uuid[]) id
  join pg_dist_placement p on p.shardid = get_shard_id_for_distribution_column(
    (select logicalrelid from pg_dist_partition where partmethod = 'h' limit 1), id)`;

/** On a cluster all customers, with the number of the node that has their rows; on one server nobody. */
export async function* customersByNode(dataSource: DataSource): AsyncGenerator<{ id: string; node: number }> {
  const onCluster = await dataSource.query<unknown[]>(`select from pg_extension where extname = 'citus'`);
  if (onCluster.length === 0) return;
  for await (const page of customerPages(dataSource))
    yield* await dataSource.query<{ id: string; node: number }[]>(WITH_NODE, [page]);
}

/**
 * Runs a statement for one customer after the other, for each until it finds nothing more: each run is a transaction of its own and
 * changes a few hundred rows at most, so that nobody waits for it for long.
 * @param statement of the customer `$1` and `values` from `$2` on; it returns how many rows it changed, as `done`
 * @returns how many rows were changed; the next run finds the rows that an aborted signal left
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
