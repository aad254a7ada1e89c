import type { DataSource } from 'typeorm';

/** Number of customers per query. */
const CUSTOMERS = 1_000;
const NO_CUSTOMER = '00000000-0000-0000-0000-000000000000';

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
  for (let last = NO_CUSTOMER; ;) {
    const found = await dataSource.query<{ id: string }[]>(find, [last, CUSTOMERS, ...values]);
    const page = found.map(({ id }) => id);
    if (page.length > 0) yield page;
    if (page.length < CUSTOMERS) return;
    last = page.at(-1) ?? last;
  }
}
