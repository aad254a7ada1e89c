import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { Test, type TestingModule } from '@nestjs/testing';
import { Connection } from 'pg';
import { ConfigModule } from '@platform/config';
import { ClientGoneError, CustomerContextService } from '@platform/context';
import { connectAsSuperuser } from '@test/test-database';
import { until } from '@test/until';
import { useTestDatabase } from '@test/use-test-database';
import { CustomerDatabaseService, DatabaseModule, decoders, readStatement } from './index';

const EVERY_CUSTOMER = readStatement('test.every-customer', 'select id from customer where $1::uuid is not null', {
  id: decoders.text,
});

const testDatabase = useTestDatabase();

describe('CustomerDatabase', () => {
  let module: TestingModule;
  const [mine, theirs] = [randomUUID(), randomUUID()];

  beforeAll(async () => {
    const superuser = await connectAsSuperuser(testDatabase);
    for (const [index, id] of [mine, theirs].entries()) {
      await superuser.query(
        `insert into customer (id, name, organization_number, customer_number, email) values ($1, 'Name', '123456785', $2, 'a@example.com')`,
        [id, String(index)],
      );
    }
    await superuser.end();
    module = await Test.createTestingModule({
      imports: [ConfigModule.for(testDatabase.config), DatabaseModule.as('customer_api')],
    }).compile();
  });

  afterAll(async () => {
    await module.close();
  });

  it('shows a statement that names no customer only the rows of the customer in context', async () => {
    const read = () => module.get(CustomerDatabaseService).read(EVERY_CUSTOMER, []);
    const context = module.get(CustomerContextService);
    const [a, b] = await Promise.all([context.run(mine, read), context.run(theirs, read)]);
    expect([a, b]).toEqual([[{ id: mine }], [{ id: theirs }]]);
  });

  it('reads nothing for a client alone that has gone', async () => {
    const read = () => module.get(CustomerDatabaseService).read(EVERY_CUSTOMER);
    const context = module.get(CustomerContextService);
    await expect(context.run(mine, read, 'id', new PassThrough().destroy())).rejects.toThrow(ClientGoneError);
    expect(await context.run(mine, read, 'id', new PassThrough())).toEqual([{ id: mine }]);
  });

  it('writes for the customer in context', async () => {
    const open = readStatement(
      'test.open',
      `insert into support_ticket (customer_id, id, title, body) values ($1, gen_random_uuid(), 'a', 'b')`,
      {},
    );
    const database = module.get(CustomerDatabaseService);
    const context = module.get(CustomerContextService);
    for (const id of [mine, theirs]) await context.run(id, () => database.write([{ statement: open, values: [] }]));
    const superuser = await connectAsSuperuser(testDatabase);
    const { rows } = await superuser.query('select customer_id from support_ticket order by created_at');
    await superuser.end();
    expect(rows).toEqual([{ customer_id: mine }, { customer_id: theirs }]);
  });

  it('fails a transaction one of whose statements has failed, though the work went on: nothing of it is stored', async () => {
    const open = readStatement(
      'test.open-in-vain',
      `insert into support_ticket (customer_id, id, title, body) values ($1, gen_random_uuid(), 'in vain', 'b')`,
      {},
    );
    const fault = readStatement('test.fault', 'select 1 / 0 as never from customer where id = $1', {
      never: decoders.number,
    });
    const stored = readStatement(
      'test.stored',
      `select count(*) as tickets from support_ticket where customer_id = $1 and title = 'in vain'`,
      { tickets: decoders.number },
    );
    const database = module.get(CustomerDatabaseService);
    const asMe = <T>(work: () => Promise<T>) => module.get(CustomerContextService).run(mine, work);
    const work = async () => {
      await database.write([{ statement: open, values: [] }]);
      await expect(database.write([{ statement: fault, values: [] }])).rejects.toThrow('division by zero');
    };
    await expect(asMe(() => database.transaction(work))).rejects.toThrow('rolled back');
    expect(await asMe(() => database.read(stored))).toEqual([{ tickets: 0 }]);
  });

  it('refuses no other statement with one that is refused, also of a server that speaks another language', async () => {
    const fault = readStatement('test.refused', 'select 1 / 0 as never from customer where id = $1', {
      never: decoders.number,
    });
    const one = readStatement('test.one-of', 'select 1 as one from customer where id = $1', { one: decoders.number });
    const database = module.get(CustomerDatabaseService);
    const asMe = <T>(work: () => Promise<T>) => module.get(CustomerContextService).run(mine, work);
    const write = (statement: typeof fault | typeof one) => asMe(() => database.write([{ statement, values: [] }]));
    const reads = () => Promise.allSettled([asMe(() => database.read(fault)), asMe(() => database.read(one))]);
    await Promise.all([write(one), reads()]);
    // As with lc_messages = 'de_DE.UTF-8', on connections that are open already.
    const emit = jest.spyOn(Connection.prototype as unknown as EventEmitter, 'emit');
    emit.mockImplementation(function (this: EventEmitter, event: string | symbol, ...given: unknown[]) {
      if (event === 'errorMessage') Object.assign(given[0] as object, { severity: 'FEHLER' });
      return EventEmitter.prototype.emit.call(this, event, ...given);
    });
    for (let round = 0; round < 3; round++) {
      await expect(write(fault)).rejects.toMatchObject({ code: '22012' });
      expect(await write(one)).toEqual([[{ one: 1 }]]);
      expect(await reads()).toMatchObject([
        { status: 'rejected', reason: { code: '22012' } },
        { status: 'fulfilled', value: [{ one: 1 }] },
      ]);
    }
    emit.mockRestore();
  });

  describe('tells how long a connection worked for a customer, by', () => {
    const SLEEP_MS = 100;
    const sleep = readStatement(
      'test.sleep-for',
      `select count(pg_sleep(${SLEEP_MS / 1000})) as slept from customer where id = $1`,
      { slept: decoders.number },
    );
    const database = () => module.get(CustomerDatabaseService);
    const statements = [{ statement: sleep, values: [] }] as const;

    it.each([
      { by: 'a read', work: () => database().read(sleep, []) },
      { by: 'a write of one statement', work: () => database().write(statements) },
      { by: 'a write of several', work: () => database().write([...statements, ...statements]) },
      { by: 'a transaction', work: () => database().transaction(() => database().write(statements)) },
    ])('$by', async ({ work }) => {
      const told: { customers: readonly string[]; ms: number }[] = [];
      database().reportTime(({ customers, ms }) => {
        told.push({ customers, ms });
        return ms;
      });
      const begunAt = performance.now();
      await module.get(CustomerContextService).run<unknown>(mine, work);
      // A transaction gives its connection back after its answer.
      await until(() => told.length > 0);
      const took = performance.now() - begunAt;
      expect(told.map(({ customers }) => customers)).toEqual([[mine]]);
      expect(told[0]?.ms).toBeGreaterThanOrEqual(SLEEP_MS);
      expect(told[0]?.ms).toBeLessThanOrEqual(took);
    });
  });

  describe('reads of which each lately cost much', () => {
    /** Large, and held up by whoever has the lock `$2`. */
    const slow = readStatement(
      'test.slow',
      `select repeat('x', 100000), pg_advisory_xact_lock_shared($2::integer) where $1::uuid is not null`,
      {
        text: decoders.text,
        locked: decoders.text,
      },
    );
    const waiting = async () => {
      const { rows } = await testDatabase.superuser.query<{ count: number }>(
        `select count(*)::integer as count from pg_stat_activity where wait_event_type = 'Lock' and query like '%pg_advisory_xact_lock_shared%'`,
      );
      return rows[0]?.count;
    };
    const as = <T>(customer: string, work: () => Promise<T>) => module.get(CustomerContextService).run(customer, work);
    const read = (customer: string, lock: number) =>
      as(customer, () => module.get(CustomerDatabaseService).read(slow, [lock]));
    const quick = (customer: string) => as(customer, () => module.get(CustomerDatabaseService).read(EVERY_CUSTOMER));
    afterEach(() => testDatabase.superuser.query('select pg_advisory_unlock_all()'));

    it('run apart, one of a customer at a time, and hold up no others; of many that wait some are refused', async () => {
      await Promise.all([read(mine, 1), read(mine, 1), read(mine, 1)]);
      // On a busy machine a quick read may have taken long, and count as slow until one by itself does not.
      await until(async () => {
        const began = performance.now();
        await quick(mine);
        return performance.now() - began < 20;
      });
      await testDatabase.superuser.query('select pg_advisory_lock(2)');
      const many = Promise.allSettled(Array.from({ length: 80 }, () => read(mine, 2)));
      await until(async () => (await waiting()) === 1);
      expect(await Promise.all([quick(mine), quick(theirs)])).toEqual([[{ id: mine }], [{ id: theirs }]]);
      expect(await read(theirs, 1)).toHaveLength(1);
      expect(await waiting()).toBe(1);
      await testDatabase.superuser.query('select pg_advisory_unlock(2)');
      const results = await many;
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(65);
      expect(results.at(-1)).toMatchObject({
        reason: { code: 'rate_limited', message: expect.stringContaining('wait for each other') as string },
      });
    });

    it('do not wait for connections that transactions of their own keep', async () => {
      const database = module.get(CustomerDatabaseService);
      await Promise.all([read(mine, 1), read(mine, 1), read(mine, 1)]);
      await as(mine, async () => {
        const transactions = await Promise.all(Array.from({ length: 5 }, () => database.begin()));
        const rows = await Promise.all(
          transactions.map((transaction) => database.within(transaction, () => database.read(slow, [1]))),
        );
        expect(rows).toHaveLength(5);
        await Promise.all(transactions.map((transaction) => transaction.rollback()));
      });
    });

    it('are two at most while nothing is known of them; many wait, and none is refused', async () => {
      const customer = randomUUID();
      await testDatabase.superuser.query('select pg_advisory_lock(3)');
      const first = [read(customer, 3), read(customer, 3)];
      await until(async () => (await waiting()) === 1);
      // None of these is sent: other connections are free.
      const many = Promise.all([...first, ...Array.from({ length: 60 }, () => read(customer, 3))]);
      expect(await Promise.race([quick(theirs), many])).toEqual([{ id: theirs }]);
      await testDatabase.superuser.query('select pg_advisory_unlock(3)');
      expect(await many).toHaveLength(62);
    });
  });

  it('reads for those that wait behind one whose client has gone', async () => {
    const customer = randomUUID();
    const locked = readStatement(
      'test.locked-rows',
      'select pg_advisory_xact_lock_shared($2::integer) where $1::uuid is not null',
      { locked: decoders.text },
    );
    const context = module.get(CustomerContextService);
    const read = (client = new PassThrough()) =>
      context.run(customer, () => module.get(CustomerDatabaseService).read(locked, [4]), 'id', client);
    const superuser = testDatabase.superuser;
    const isWaiting = async () => {
      const { rows } = await superuser.query(
        `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%pg_advisory_xact_lock_shared%'`,
      );
      return rows.length === 1;
    };
    const lock = () => superuser.query('select pg_advisory_lock(4)');
    const unlock = () => superuser.query('select pg_advisory_unlock(4)');
    // Both take long, so that the next ones wait for each other.
    await lock();
    const first = read();
    await until(isWaiting);
    await superuser.query('select pg_sleep(0.2)');
    await unlock();
    await first;
    await lock();
    const client = new PassThrough();
    const [running, gone, last] = [read(), read(client), read()];
    await until(isWaiting);
    await superuser.query('select pg_sleep(0.2)');
    client.destroy();
    await unlock();
    expect(await running).toHaveLength(1);
    await expect(gone).rejects.toThrow(ClientGoneError);
    expect(await last).toHaveLength(1);
  });

  it('refuses to work without a customer', async () => {
    await expect(async () => module.get(CustomerDatabaseService).read(EVERY_CUSTOMER, [])).rejects.toThrow(
      'No customer in context',
    );
  });
});
