import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { Test, type TestingModule } from '@nestjs/testing';
import { ConfigModule } from '@platform/config';
import {
  clientSettings,
  PipelinedConnectionsService,
  DatabaseModule,
  decoders,
  type ReadStatement,
  readStatement,
} from '@platform/database';
import { anyRow, customerColumn, customerOwnedTables, leaveRowLevelSecurityAlone } from '@test/any-row';
import { useTestDatabase } from '@test/use-test-database';

const database = useTestDatabase();

/**
 * The third isolation layer by itself. The first is off: the test sets the customer. The second is off: no statement
 * names a customer. Checks, foreign keys and missing grants are off too, because they would hide a fault.
 */
describe('row level security alone', () => {
  let api: Client;
  let tables: string[];
  const [mine, theirs] = [randomUUID(), randomUUID()];

  beforeAll(async () => {
    tables = await customerOwnedTables(database.superuser);
    await leaveRowLevelSecurityAlone(database.superuser, tables);
    for (const table of tables) {
      for (const customer of [mine, theirs])
        await database.superuser.query(...(await anyRow(database.superuser, table, customer)));
    }
    api = new Client(clientSettings(database.config, 'customer_api'));
    await api.connect();
  });

  afterAll(async () => {
    await api.end();
  });

  /** Runs a statement as a customer and rolls it back. @returns the affected rows, or the SQLSTATE of the error */
  async function as(customer: string | null, sql: string, values: unknown[] = []): Promise<number | string> {
    await api.query('begin');
    try {
      if (customer) await api.query('select app.set_customer($1)', [customer]);
      return (await api.query(sql, values)).rowCount ?? 0;
    } catch (error) {
      return (error as { code: string }).code;
    } finally {
      await api.query('rollback');
    }
  }

  /** Runs a check for every table and returns the names of those that fail. */
  async function holes(check: (table: string, column: string) => Promise<boolean>): Promise<string[]> {
    const failed: string[] = [];
    for (const table of tables) if (!(await check(table, customerColumn(table)))) failed.push(table);
    return failed;
  }

  const REFUSED = '42501';

  it('covers every table that has a customer', () => {
    expect(tables.length).toBeGreaterThanOrEqual(18);
    expect(tables).toEqual(expect.arrayContaining(['customer', 'service_token', 'customer_service', 'audit_log']));
  });

  it("shows nothing of another customer's, in any table", async () => {
    expect(await holes(async (table) => (await as(mine, `select from ${table}`)) === 1)).toEqual([]);
    expect(
      await holes(
        async (table, column) => (await as(mine, `select from ${table} where ${column} = $1`, [theirs])) === 0,
      ),
    ).toEqual([]);
  });

  it("adds no row of another customer's", async () => {
    const add = async (table: string, owner: string) => as(mine, ...(await anyRow(database.superuser, table, owner)));
    await database.superuser.query('begin');
    expect(await holes(async (table) => (await add(table, theirs)) === REFUSED)).toEqual([]);
    await database.superuser.query('rollback');
  });

  it("changes no row of another customer's", async () => {
    expect(
      await holes(async (table, column) => (await as(mine, `update ${table} set ${column} = ${column}`)) === 1),
    ).toEqual([]);
  });

  it('gives no row away to another customer', async () => {
    // A cluster never lets a row change its customer (0A000): the row would belong on another node.
    const given = (table: string, column: string) => as(mine, `update ${table} set ${column} = $1`, [theirs]);
    expect(
      await holes(async (table, column) => [REFUSED, '0A000'].includes(String(await given(table, column)))),
    ).toEqual([]);
  });

  it("removes no row of another customer's", async () => {
    expect(await holes(async (table) => (await as(mine, `delete from ${table}`)) === 1)).toEqual([]);
  });

  it('shows, changes and removes nothing while no customer is set', async () => {
    for (const statement of ['select from', 'delete from']) {
      expect(await holes(async (table) => (await as(null, `${statement} ${table}`)) === 0)).toEqual([]);
    }
    // Reads nothing of a row, so that the rows that may be read do not decide. A cluster refuses it (0A000).
    const change = (table: string, column: string) => as(null, `update ${table} set ${column} = $1`, [mine]);
    expect(await holes(async (table, column) => [0, '0A000'].includes(await change(table, column)))).toEqual([]);
    expect(
      await holes(async (table) => (await as(null, ...(await anyRow(database.superuser, table, mine)))) === REFUSED),
    ).toEqual([]);
  });

  it('does not carry a customer over to the next transaction of the connection', async () => {
    await api.query('begin');
    await api.query('select app.set_customer($1)', [mine]);
    await api.query('commit');
    expect((await api.query('select from customer')).rowCount).toBe(0);
  });

  it('is not to be had by emptying a table', async () => {
    expect(await holes(async (table) => (await as(mine, `truncate ${table}`)) === REFUSED)).toEqual([]);
  });

  describe('through the pipelined connections', () => {
    let module: TestingModule;
    beforeAll(async () => {
      module = await Test.createTestingModule({
        imports: [ConfigModule.for(database.config), DatabaseModule.as('customer_api')],
      }).compile();
    });
    afterAll(() => module.close());

    const read = (customer: string, statement: ReadStatement<{ id: string }>, values: string[] = []) =>
      module.get(PipelinedConnectionsService).batch().read(customer, statement, values);

    it("returns only the customer's own rows, however requests interleave and whichever fail", async () => {
      const otherIds = Array.from({ length: 5 }, () => randomUUID());
      const outcomes = new Set<string>();
      const fails = (reading: Promise<unknown>) =>
        reading.then(
          () => 'answered',
          () => 'failed',
        );
      // New statements in each round: failures at the first use of a statement are the hardest case.
      for (let round = 0; round < 25; round++) {
        const everyone = readStatement(`test.everyone.${round}`, 'select id from customer', { id: decoders.text });
        const failing = readStatement(
          `test.failing.${round}`,
          'select 1 / (select count(*) from customer where id = $1::uuid)',
          { id: decoders.text },
        );
        const attempt = async (index: number): Promise<string> => {
          const customer = [mine, theirs, ...otherIds][index % 7] ?? mine;
          // Failures of each part: of setting the customer, of the statement, of its parameters.
          if (index % 11 === 0) return fails(read('no uuid', everyone));
          if (index % 13 === 0) return fails(read(customer, failing, [randomUUID()]));
          if (index % 17 === 0) return fails(read(customer, failing, ['no uuid']));
          const rows = await read(customer, everyone);
          const expected = otherIds.includes(customer) ? [] : [{ id: customer }];
          return JSON.stringify(rows) === JSON.stringify(expected) ? 'right' : `wrong: ${JSON.stringify(rows)}`;
        };
        const turns = Array.from({ length: 300 }, async (_, index) => {
          // Some in the same turn of the event loop, some while replies to others arrive.
          if (index % 3) await new Promise((resolve) => setTimeout(resolve, index % 5));
          return attempt(index);
        });
        for (const outcome of await Promise.all(turns)) outcomes.add(outcome);
      }
      expect(outcomes).toEqual(new Set(['right', 'failed']));
    });
  });
});
