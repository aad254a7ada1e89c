import type { DataSource } from 'typeorm';
import { isTransientFailure } from './database-errors';
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

/** The ids of customers, one by one, in {@link customerPages}. */
export async function* customerIds(...given: Parameters<typeof customerPages>): AsyncGenerator<string> {
  for await (const page of customerPages(...given)) yield* page;
}

/** Failures of a run that are reported; and as many in a row, if the database was away or busy, are not the items' fault. */
const FAILURES = 10;

/**
 * Works on one item after the other, until the signal aborts. An item that fails keeps none behind it from being worked on: it
 * would, in each run anew.
 * @throws AggregateError at the end, with the first failures; earlier if one item after the other finds the database away or busy
 */
export async function eachIndependently<T>(
  items: Iterable<T> | AsyncIterable<T>,
  work: (item: T) => unknown,
  signal?: AbortSignal,
): Promise<void> {
  const failures: unknown[] = [];
  let failed = 0;
  let inARow = 0;
  try {
    for await (const item of items) {
      if (signal?.aborted) break;
      try {
        await work(item);
        inARow = 0;
      } catch (error) {
        if (++failed <= FAILURES) failures.push(error);
        inARow = isTransientFailure(error) ? inARow + 1 : 0;
        if (inARow === FAILURES) break;
      }
    }
  } catch (error) {
    // No further items are found.
    if (failed === 0) throw error;
    failures.unshift(error);
  }
  if (failed > 0) throw new AggregateError(failures, `${failed} failed`);
}

/**
 * Runs a statement for one customer after the other, for each until it finds nothing more: each run is a transaction of its own and
 * changes a few hundred rows at most, so that nobody waits for it for long.
 * @param statement of the customer `$1` and `values` from `$2` on; it returns how many rows it changed, as `done`
 * @returns how many rows were changed; the next run finds the rows that an aborted signal left
 * @throws AggregateError if it failed for some customers; it has run for all others then
 */
export async function purgeEachCustomer(
  dataSource: DataSource,
  statement: string,
  values: readonly unknown[],
  signal?: AbortSignal,
): Promise<number> {
  let total = 0;
  const purge = async (id: string) => {
    for (let done = -1; done !== 0 && !signal?.aborted; total += done) {
      const [row] = await dataSource.query<{ done: number }[]>(statement, [id, ...values]);
      done = row?.done ?? 0;
    }
  };
  await eachIndependently(customerIds(dataSource), purge, signal);
  return total;
}
