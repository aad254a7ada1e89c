import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Test, type TestingModule } from '@nestjs/testing';
import { ConfigModule } from '@platform/config';
import { until } from '@test/until';
import { useTestDatabase } from '@test/use-test-database';
import {
  clientSettings,
  DatabaseModule,
  DatabaseUnavailableError,
  decoders,
  PipelinedConnectionsService,
  prepared,
  readStatement,
} from '../index';
import { ReadCost, UsualTime } from './slow-reads';
import { StatementTimes } from './statement-times';

const WHO = readStatement('test.who', `select current_setting('app.customer_id'), $1::text`, {
  customer: decoders.text,
  given: decoders.text,
});
const NUMBER = readStatement('test.number', 'select $1::integer', { number: decoders.number });
const ROWS = readStatement('test.rows', `select repeat('x', $1::integer) from generate_series(1, 40)`, {
  text: decoders.text,
});
const LATER = readStatement('test.later', `select current_setting('app.customer_id')`, { customer: decoders.text });
const LEFT_OVER = prepared('test.left-over', `select nullif(current_setting('app.customer_id', true), '') as customer`);

const database = useTestDatabase({ DATABASE_PIPELINES: '1' });

describe('reads that are sent together', () => {
  let module: TestingModule;
  let pipeline: PipelinedConnectionsService;

  beforeAll(async () => {
    // One connection, so that everything really shares it.
    module = await Test.createTestingModule({
      imports: [ConfigModule.for(database.config), DatabaseModule.as('customer_api')],
    }).compile();
    pipeline = module.get(PipelinedConnectionsService);
  });

  afterAll(async () => {
    await module.close();
  });

  it('run each as its own customer, however many are sent together', async () => {
    for (let round = 0; round < 20; round++) {
      const customers = Array.from({ length: 100 }, () => randomUUID());
      const rows = await Promise.all(customers.map((id, index) => pipeline.batch().read(id, WHO, [String(index)])));
      expect(rows).toEqual(customers.map((customer, index) => [{ customer, given: String(index) }]));
    }
  });

  it('fails only the read that PostgreSQL refuses, also while statements are new to the connection', async () => {
    const customers = Array.from({ length: 50 }, () => randomUUID());
    const results = await Promise.allSettled(
      customers.map((id, index) =>
        index % 7 === 3
          ? pipeline.batch().read(id, NUMBER, ['no number'])
          : pipeline.batch().read(id, index % 2 ? LATER : WHO, index % 2 ? [] : ['x']),
      ),
    );
    results.forEach((result, index) => {
      if (index % 7 === 3) expect(result).toMatchObject({ status: 'rejected', reason: { code: '22P02' } });
      else expect(result).toMatchObject({ status: 'fulfilled', value: [{ customer: customers[index] }] });
    });
    expect(await pipeline.batch().read(randomUUID(), NUMBER, ['7'])).toEqual([{ number: 7 }]);
  });

  it('are answered before the connection is closed, though that takes longer than a silent server is given', async () => {
    const own = new PipelinedConnectionsService({ client: clientSettings(database.config, 'customer_api'), size: 1 });
    const slow = own.single(prepared('test.slow', 'select 1 as done from pg_sleep(1.5)'), []);
    await until(async () => {
      const running = `select from pg_stat_activity where state = 'active' and query like '%pg_sleep(1.5)' and pid <> pg_backend_pid()`;
      return (await database.superuser.query(running)).rows.length > 0;
    });
    await own.onApplicationShutdown();
    expect(await slow).toEqual([{ done: 1 }]);
  });

  it('that take all the time a statement may are their own customer’s: those behind them are neither charged nor slow', async () => {
    const charged: { customers: readonly string[]; ms: number }[] = [];
    const times = new StatementTimes();
    times.report = ({ customers, ms }) => {
      charged.push({ customers, ms });
      return ms;
    };
    const client = clientSettings({ ...database.config, DATABASE_STATEMENT_TIMEOUT_MS: 500 }, 'customer_api');
    const own = new PipelinedConnectionsService({ client, size: 1, times });
    const endless = readStatement('test.endless', 'select pg_sleep(30)', { slept: decoders.text });
    const [mine, theirs] = [randomUUID(), randomUUID()];
    // On a busy machine every read takes long.
    const usual = new UsualTime();
    for (let count = 0; count < 200; count++) usual.note(100);
    const [mineCost, theirCost] = [new ReadCost(), new ReadCost(usual)];
    const failing = own.batch().read(mine, endless, [], mineCost);
    // The next turn has a batch of its own, behind the other.
    await new Promise(setImmediate);
    const quick = own.batch().read(theirs, LATER, [], theirCost);
    await expect(failing).rejects.toThrow(DatabaseUnavailableError);
    expect(await quick).toEqual([{ customer: theirs }]);
    await until(() => charged.length === 2);
    expect(charged.map(({ customers, ms }) => [customers, ms > 400])).toEqual([
      [[mine], true],
      [[theirs], false],
    ]);
    expect([mineCost.tookLong, theirCost.tookLong]).toEqual([true, false]);
    await own.onApplicationShutdown();
  });

  it('have the bytes of all their own rows', async () => {
    const cost = [new ReadCost(), new ReadCost(), new ReadCost()] as const;
    const [small, large] = ['100', '1000'];
    const rows = [small, large, small].map((size, place) =>
      pipeline.batch().read(randomUUID(), ROWS, [size], cost[place]),
    );
    expect((await Promise.all(rows)).map(({ length }) => length)).toEqual([40, 40, 40]);
    expect(cost.map(({ isLarge }) => isLarge)).toEqual([false, true, false]);
  });

  it('never runs a read whose customer could not be set', async () => {
    const results = await Promise.allSettled([
      pipeline.batch().read(randomUUID(), LATER, []),
      pipeline.batch().read('not a customer', LATER, []),
      pipeline.batch().read(randomUUID(), LATER, []),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it('leave no customer set on the connection', async () => {
    await pipeline.batch().read(randomUUID(), LATER, []);
    expect(await pipeline.single(LEFT_OVER, [])).toEqual([{ customer: null }]);
  });

  it('mixes with statements that are sent alone', async () => {
    const customer = randomUUID();
    const [alone, read, again] = await Promise.all([
      pipeline.single(LEFT_OVER, []),
      pipeline.batch().read(customer, LATER, []),
      pipeline.single(LEFT_OVER, []),
    ]);
    expect([alone, read, again]).toEqual([[{ customer: null }], [{ customer }], [{ customer: null }]]);
  });

  it('are forgotten as soon as they are answered, though others of the batch are not', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const long = readStatement('test.long', `select repeat('x', 100000)`, { text: decoders.text });
    const locker = database.superuser;
    await locker.query('select pg_advisory_lock(1)');
    const locked = readStatement('test.locked', 'select pg_advisory_xact_lock(1)', { locked: decoders.text });
    const answered = pipeline
      .batch()
      .read(randomUUID(), NUMBER, ['7'])
      .then(([row]) => new WeakRef(row as object));
    // PostgreSQL sends what it has when that is more than 8 kB.
    const filling = pipeline.batch().read(randomUUID(), long, []);
    const pending = pipeline.batch().read(randomUUID(), locked, []);
    const row = await answered;
    // Beyond this turn, which keeps what a WeakRef was made for.
    await wait(0);
    collect();
    const kept = row.deref();
    await locker.query('select pg_advisory_unlock(1)');
    await Promise.all([filling, pending]);
    expect(kept).toBeUndefined();
  });

  it('fail when the connection is lost, and continue on a new one', async () => {
    const sleep = readStatement('test.sleep', 'select pg_sleep(30)', { slept: decoders.text });
    const waiting = Promise.allSettled([
      pipeline.batch().read(randomUUID(), sleep, []),
      pipeline.batch().read(randomUUID(), LATER, []),
    ]);
    const killer = await Test.createTestingModule({
      imports: [ConfigModule.for(database.config), DatabaseModule.as('owner')],
    }).compile();
    const kill = prepared(
      'test.kill',
      `select pg_terminate_backend(pid) from pg_stat_activity where query like '%pg_sleep(30)%' and pid <> pg_backend_pid()`,
    );
    let killed: object[] = [];
    while (killed.length === 0) killed = await killer.get(PipelinedConnectionsService).single(kill, []);
    await killer.close();
    const results = await waiting;
    expect(results.map((result) => result.status === 'rejected' && (result.reason as Error).constructor.name)).toEqual([
      'DatabaseUnavailableError',
      'DatabaseUnavailableError',
    ]);
    const customer = randomUUID();
    expect(await pipeline.batch().read(customer, LATER, [])).toEqual([{ customer }]);
  });
});
