import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { saveFakeCustomer } from '@test/factories/customer.factory';
import { useTestDatabase } from '@test/use-test-database';
import { clientSettings, decoders, readStatement } from '../index';
import { beginAs, runOn, transactAs, transactOnShared } from './customer-transaction';

const OPEN = readStatement(
  'test.open-ticket',
  `insert into support_ticket (customer_id, id, title, body) values ($1, $2, 'a', 'b') returning title`,
  { title: decoders.text },
);
const COUNT = readStatement('test.count-tickets', 'select count(*) from support_ticket where customer_id = $1', {
  count: decoders.number,
});
const NUMBER = readStatement('test.number', 'select $1::integer', { number: decoders.number });

const database = useTestDatabase();

/** Ends a connection without a word to the server. */
function cutOff(client: Client): void {
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
}

describe('statements of a customer that are sent together', () => {
  let client: Client;
  let customer: string;
  beforeEach(async () => {
    customer = (await saveFakeCustomer(database.superuser)).id;
    client = new Client({ ...clientSettings(database.config, 'customer_api'), pipeline: true });
    await client.connect();
  });
  afterEach(() => client.end());

  const open = (id: string) => ({ statement: OPEN, values: [customer, id] });
  const count = () => ({ statement: COUNT, values: [customer] });
  const number = (text: string) => ({ statement: NUMBER, values: [text] });

  it('are answered in one message, with the rows of each', async () => {
    let answers = 0;
    (client as unknown as { connection: NodeJS.EventEmitter }).connection.on('readyForQuery', () => answers++);
    expect(await transactAs(client, customer, [open(randomUUID()), count(), number('7')])).toEqual([
      [{ title: 'a' }],
      [{ count: 1 }],
      [{ number: 7 }],
    ]);
    expect(answers).toBe(1);
    // Stored, for others too.
    const { rows } = await database.superuser.query(COUNT.text, [customer]);
    expect(rows).toEqual([{ count: '1' }]);
  });

  it('store nothing if one fails, and leave a connection that can be used, also for what failed or was skipped', async () => {
    for (let round = 0; round < 2; round++) {
      await expect(transactAs(client, customer, [open(randomUUID()), number('x'), count()])).rejects.toMatchObject({
        code: '22P02',
      });
      expect(await transactAs(client, customer, [count(), number('7')])).toEqual([[{ count: 0 }], [{ number: 7 }]]);
    }
    await expect(transactAs(client, 'no customer', [count()])).rejects.toMatchObject({ code: '22P02' });
    expect(await transactAs(client, customer, [count()])).toEqual([[{ count: 0 }]]);
  });

  it('are prepared once for a connection, also if they failed or were skipped there later', async () => {
    const preparedAt = async () => {
      const { rows } = await client.query<{ name: string; prepare_time: string }>(
        `select name, prepare_time::text from pg_prepared_statements where name in ($1, $2) order by name`,
        [COUNT.name, NUMBER.name],
      );
      return rows;
    };
    await transactAs(client, customer, [number('7'), count()]);
    const before = await preparedAt();
    expect(before).toHaveLength(2);
    await expect(transactAs(client, customer, [number('x'), count()])).rejects.toMatchObject({ code: '22P02' });
    expect(await transactAs(client, customer, [number('8'), count()])).toEqual([[{ number: 8 }], [{ count: 0 }]]);
    expect(await preparedAt()).toEqual(before);
  });

  it('fail, and send nothing, if a value has no text', async () => {
    const circular: Record<string, unknown> = {};
    circular.self = circular;
    await expect(transactAs(client, customer, [{ statement: NUMBER, values: [circular] }])).rejects.toThrow(/circular/);
    expect(await transactAs(client, customer, [count()])).toEqual([[{ count: 0 }]]);
  });

  it('fail if their rows are not as they are described', async () => {
    const statement = readStatement('test.other', 'select 1, 2', { one: decoders.number });
    await expect(transactAs(client, customer, [{ statement, values: [] }])).rejects.toThrow(/reads 2 columns/);
  });

  it('fail when the connection is lost', async () => {
    const sleep = readStatement('test.sleep', 'select pg_sleep(30)', { slept: decoders.text });
    client.on('error', () => undefined);
    const sent = transactAs(client, customer, [{ statement: sleep, values: [] }]);
    cutOff(client);
    await expect(sent).rejects.toThrow(/terminated/);
  });

  it('join a transaction that was begun, of which one that fails is the end', async () => {
    await beginAs(client, customer);
    expect(await runOn(client, [])).toEqual([]);
    expect(await runOn(client, [open(randomUUID())])).toEqual([[{ title: 'a' }]]);
    await expect(runOn(client, [number('x')])).rejects.toMatchObject({ code: '22P02' });
    await expect(runOn(client, [count()])).rejects.toMatchObject({ code: '25P02' });
    expect(await client.query('commit')).toMatchObject({ command: 'ROLLBACK' });
    expect(await transactAs(client, customer, [count()])).toEqual([[{ count: 0 }]]);
  });

  describe('on a connection that others use meanwhile', () => {
    const write = (id: string) => transactOnShared(client, customer, { statement: OPEN, values: [customer, id] });
    const stored = async () => (await database.superuser.query(COUNT.text, [customer])).rows as unknown[];
    const WHOSE = `select nullif(current_setting('app.customer_id', true), '') as customer`;

    it('are transactions of their own: each is stored, and its customer is nobody else’s', async () => {
      const [first, between, second] = await Promise.all([
        write(randomUUID()),
        client.query(WHOSE),
        write(randomUUID()),
      ]);
      expect([first, second]).toEqual([[{ title: 'a' }], [{ title: 'a' }]]);
      expect(between.rows).toEqual([{ customer: null }]);
      expect(await stored()).toEqual([{ count: '2' }]);
    });

    it('store nothing if they fail, and disturb none behind them', async () => {
      const id = randomUUID();
      const results = await Promise.allSettled([write(id), write(id), client.query(WHOSE), write(randomUUID())]);
      expect(results).toMatchObject([
        { status: 'fulfilled' },
        { status: 'rejected', reason: { code: '23505' } },
        { status: 'fulfilled', value: { rows: [{ customer: null }] } },
        { status: 'fulfilled' },
      ]);
      expect(await stored()).toEqual([{ count: '2' }]);
    });

    it('fail if their commit does, with the reason of the first that fails', async () => {
      await database.superuser.query(`
        create table public.deferred (id integer unique deferrable initially deferred);
        grant select, insert on public.deferred to customer_api`);
      const statement = readStatement(
        'test.twice',
        `insert into public.deferred select 1 from generate_series(1, 2) where $1 <> '' returning id`,
        { id: decoders.number },
      );
      const twice = (id: string) => transactOnShared(client, id, { statement, values: ['x'] });
      await expect(twice(customer)).rejects.toMatchObject({ code: '23505' });
      await expect(twice('no customer')).rejects.toMatchObject({ code: '22P02' });
    });

    it('fail when the connection is lost, and leave no rejection that nobody handles', async () => {
      const unhandled: unknown[] = [];
      const note = (reason: unknown) => void unhandled.push(reason);
      process.on('unhandledRejection', note);
      client.on('error', () => undefined);
      const sent = write(randomUUID());
      cutOff(client);
      await expect(sent).rejects.toThrow(/terminated/);
      // They are told of in a turn of the event loop of their own.
      await new Promise((resolve) => setTimeout(resolve));
      process.off('unhandledRejection', note);
      expect(unhandled).toEqual([]);
    });
  });
});
