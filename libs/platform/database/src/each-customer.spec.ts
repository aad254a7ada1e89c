import { DataSource } from 'typeorm';
import { describeOnCluster, itOnOneServer } from '@test/kinds-of-server';
import { useTestDatabase } from '@test/use-test-database';
import { DatabaseUnavailableError } from './database-errors';
import { customerPages, customersByNode, eachIndependently, purgeEachCustomer } from './each-customer';

const database = useTestDatabase();

describe('work on all customers', () => {
  let dataSource: DataSource;
  let ids: string[];
  beforeAll(async () => {
    dataSource = await new DataSource({ type: 'postgres', url: database.url }).initialize();
    await database.superuser.query(
      `insert into customer (id, name, organization_number, customer_number, email)
       select gen_random_uuid(), 'C' || i, i::text, i::text, 'a@example.com' from generate_series(1, 2003) i`,
    );
    const { rows } = await database.superuser.query<{ id: string }>('select id from customer order by id');
    ids = rows.map(({ id }) => id);
  });
  afterAll(() => dataSource.destroy());

  it('finds each of them once, a page at a time', async () => {
    const pages: string[][] = [];
    for await (const page of customerPages(dataSource)) {
      pages.push(page);
      // A list that begins anew never ends.
      if (pages.length > 3) break;
    }
    expect(pages.map(({ length }) => length)).toEqual([1000, 1000, ids.length - 2000]);
    expect(pages.flat()).toEqual(ids);
  });

  it('finds those that a statement finds, and no page if there are none', async () => {
    const find = 'select id from customer where id > $1 and name = $3 order by id limit $2';
    const found = async (name: string) => {
      const pages: string[][] = [];
      for await (const page of customerPages(dataSource, find, [name])) pages.push(page);
      return pages;
    };
    expect(await found('C7')).toEqual([[expect.any(String)]]);
    expect(await found('nobody')).toEqual([]);
  });

  const withNodes = async () => {
    const found: { id: string; node: number }[] = [];
    for await (const customer of customersByNode(dataSource)) found.push(customer);
    return found;
  };

  describeOnCluster('by node', () => {
    it('finds each of them once, with a node that has rows', async () => {
      const found = await withNodes();
      expect(found.map(({ id }) => id).sort()).toEqual(ids);
      const { rows } = await database.superuser.query<{ node: number }>(
        'select distinct groupid as node from pg_dist_placement',
      );
      const nodes = rows.map(({ node }) => node);
      expect(found.filter(({ node }) => !nodes.includes(node))).toEqual([]);
    });
  });

  itOnOneServer('by node finds nobody', 'there each customer has one', async () => {
    expect(await withNodes()).toEqual([]);
  });

  it('repeats a statement for each until it changes nothing more, and counts what it changed', async () => {
    const [first, last] = [ids[0], ids.at(-1)];
    await database.superuser.query('update customer set requests_per_minute = 3 where id = any($1)', [[first, last]]);
    const COUNT_DOWN = `with changed as (update customer set requests_per_minute = requests_per_minute - $2
      where id = $1 and requests_per_minute > 1 returning 1) select count(*)::int as done from changed`;
    const changed = await purgeEachCustomer(dataSource, COUNT_DOWN, [1]);
    expect(changed).toBe(4);
    const { rows } = await database.superuser.query(
      'select count(*)::int as n from customer where requests_per_minute = 1',
    );
    expect(rows).toEqual([{ n: 2 }]);
  });

  it('changes nothing once it is aborted', async () => {
    const CHANGE = `with changed as (update customer set name = 'changed' where id = $1 returning 1)
      select count(*)::int as done from changed`;
    expect(await purgeEachCustomer(dataSource, CHANGE, [], AbortSignal.abort())).toBe(0);
    const { rowCount } = await database.superuser.query(`select from customer where name = 'changed'`);
    expect(rowCount).toBe(0);
  });

  it('goes on behind a customer for whom it fails, and says so in the end', async () => {
    await database.superuser.query('update customer set ai_per_minute = 2 where id = any($1)', [[ids[1], ids.at(-1)]]);
    const CHANGE = `with changed as (
        update customer set ai_per_minute = 1 / (case when id = $2 then 0 else 1 end) where id = $1 and ai_per_minute = 2 returning 1)
      select count(*)::int as done from changed`;
    await expect(purgeEachCustomer(dataSource, CHANGE, [ids[1]])).rejects.toMatchObject({
      message: '1 failed',
      errors: [expect.objectContaining({ message: 'division by zero' })],
    });
    const { rows } = await database.superuser.query('select id from customer where ai_per_minute = 1');
    expect(rows).toEqual([{ id: ids.at(-1) }]);
  });

  it('reports the first failures of many, and of the search for the next item; a database that is away ends it', async () => {
    const failing = (at: number) => Promise.reject(new Error(`no. ${at}`));
    const messages = (error: unknown) => (error as AggregateError).errors.map((each: Error) => each.message);
    const many: unknown = await eachIndependently(Array.from({ length: 30 }).keys(), failing).catch(
      (error: unknown) => error,
    );
    expect(messages(many)).toEqual(Array.from({ length: 10 }, (_, at) => `no. ${at}`));
    expect((many as Error).message).toBe('30 failed');
    const away = () => Promise.reject(new DatabaseUnavailableError());
    let tried = 0;
    await eachIndependently(Array.from({ length: 30 }), () => {
      tried++;
      return away();
    }).catch(messages);
    expect(tried).toBe(10);
    function* broken() {
      yield 1;
      throw new Error('no next one');
    }
    expect(await eachIndependently(broken(), failing).catch(messages)).toEqual(['no next one', 'no. 1']);
    await expect(eachIndependently(broken(), () => undefined)).rejects.toThrow(/^no next one$/);
  });
});
