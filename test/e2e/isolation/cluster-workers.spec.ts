import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { assertDatabaseFit, clientSettings } from '@platform/database';
import { anyRow, customerOwnedTables, leaveRowLevelSecurityAlone } from '@test/any-row';
import { describeOnCluster } from '@test/kinds-of-server';
import { connectAsSuperuser, createTestDatabase, type TestDatabase } from '@test/test-database';

/** No right, not supported, not for this kind of table, not for a shard. */
const REFUSED = /^(42501|0A000|42809|XX000)$/;
const NO_EFFECT = /^(0|42501|0A000|42809)$/;

/** A shard of a table, with rows. */
interface Shard {
  owner: string;
  name: string;
}

/**
 * Row level security of the shards themselves, without the coordinator: what somebody with the API's role sees who connects
 * to a node. The other isolation layers are off, and so are checks, foreign keys and missing grants.
 */
describeOnCluster('the shards on the nodes of a cluster', () => {
  let database: TestDatabase;
  let superuser: Client;
  let tables: string[];
  /** A connection to each node, as the API and as the superuser. */
  const nodes: { api: Client; superuser: Client; shards: Shard[] }[] = [];
  // Enough for every shard to have some.
  const customers = Array.from({ length: 60 }, () => randomUUID());
  const [mine = ''] = customers;

  beforeAll(async () => {
    database = await createTestDatabase();
    superuser = await connectAsSuperuser(database);
    tables = await customerOwnedTables(superuser);
    await leaveRowLevelSecurityAlone(superuser, tables);
    for (const table of tables)
      for (const customer of customers) await superuser.query(...(await anyRow(superuser, table, customer)));
    await superuser.query('grant usage on schema partitions to customer_api');
    const { rows: partitions } = await superuser.query<{ name: string }>(
      `select inhrelid::regclass::text as name from pg_inherits where inhparent = any($1::regclass[])`,
      [tables],
    );
    for (const { name } of partitions) await superuser.query(`grant select on ${name} to customer_api`);
    for (const url of [database.url, ...database.workers]) nodes.push(await connectTo(url));
  }, 300_000);

  afterAll(async () => {
    await Promise.all(nodes.flatMap((node) => [node.api.end(), node.superuser.end()]));
    await superuser.end();
    await database.drop();
  });

  async function connectTo(url: string): Promise<(typeof nodes)[number]> {
    const api = new Client({ ...clientSettings(database.config, 'customer_api'), connectionString: url });
    const admin = new Client({ connectionString: url });
    await Promise.all([api.connect(), admin.connect()]);
    const { port } = new URL(url);
    const { rows: shards } = await superuser.query<Shard>(
      `select table_name::text as owner, shard_name as name from citus_shards
       where nodeport = $1 and (table_name = any($2::regclass[])
         or table_name in (select inhrelid from pg_inherits where inhparent = any($2::regclass[])))
         and table_name not in (select inhparent from pg_inherits)`,
      [port, tables],
    );
    return { api, superuser: admin, shards };
  }

  /** How many rows each shard of a node shows. */
  async function counts(client: Client, shards: Shard[]): Promise<Map<string, number>> {
    const seen = new Map<string, number>();
    for (const { name } of shards) {
      const { rows } = await client.query<{ count: number }>(`select count(*)::int as count from ${name}`);
      seen.set(name, rows[0]?.count ?? NaN);
    }
    return seen;
  }

  it('have rows of every table, all distributed ones in several shards', async () => {
    const filled = new Map<string, number>();
    for (const node of nodes) {
      const seen = await counts(node.superuser, node.shards);
      for (const { owner, name } of node.shards)
        if ((seen.get(name) ?? 0) > 0) filled.set(owner, (filled.get(owner) ?? 0) + 1);
    }
    expect(filled.size).toBeGreaterThanOrEqual(tables.length);
    expect([...filled].filter(([, shards]) => shards < 2)).toEqual([]);
  });

  it('show nothing to the API’s role while no customer is set', async () => {
    for (const { api, shards } of nodes) {
      expect([...(await counts(api, shards))].filter(([, count]) => count !== 0)).toEqual([]);
    }
  });

  it('show a customer’s own rows alone to the API’s role, to which the customer is set', async () => {
    for (const { api, shards } of nodes) {
      await api.query('begin');
      await api.query('select app.set_customer($1)', [mine]);
      const seen = await counts(api, shards);
      await api.query('commit');
      expect([...seen].filter(([, count]) => count > 1)).toEqual([]);
      for (const [name] of [...seen].filter(([, count]) => count === 1)) {
        const column = /^customer_\d+$/.test(name) ? 'id' : 'customer_id';
        await api.query('begin');
        await api.query('select app.set_customer($1)', [mine]);
        const { rows } = await api.query(`select ${column} as customer from ${name}`);
        await api.query('commit');
        expect(rows).toEqual([{ customer: mine }]);
      }
    }
  });

  it('show nothing through a worker’s view of the tables either, while no customer is set', async () => {
    for (const { api } of nodes) {
      const seen = await counts(
        api,
        tables.map((name) => ({ owner: name, name })),
      );
      expect([...seen].filter(([, count]) => count !== 0)).toEqual([]);
    }
  });

  it('lose and change nothing by the API’s role', async () => {
    for (const { api, shards } of nodes)
      for (const { owner, name } of shards) {
        const column = owner === 'customer' ? 'id' : 'customer_id';
        for (const statement of [`delete from ${name}`, `update ${name} set ${column} = ${column}`])
          expect([statement, await outcome(api, statement)]).toEqual([statement, expect.stringMatching(NO_EFFECT)]);
        expect([name, await outcome(api, `truncate ${name}`)]).toEqual([name, expect.stringMatching(REFUSED)]);
      }
  });

  it('are not reached by a program whose connections do not tell them the customer: it does not start', async () => {
    const { options = '' } = clientSettings(database.config, 'customer_api');
    const start = async (given: string) => {
      const source = new DataSource({ type: 'postgres', url: database.url, extra: { options: given } });
      try {
        await assertDatabaseFit(await source.initialize(), 'customer_api', database.config);
      } finally {
        await source.destroy();
      }
    };
    await expect(start(options)).resolves.toBeUndefined();
    const without = options.replace('-c citus.propagate_set_commands=local', '');
    await expect(start(without)).rejects.toThrow('citus.propagate_set_commands=local');
  });

  /** How many rows a statement changed, or why it was refused. */
  async function outcome(api: Client, sql: string): Promise<string> {
    try {
      return String((await api.query(sql)).rowCount);
    } catch (error) {
      return (error as { code: string }).code;
    }
  }
});
