import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { caller, createCaller, startApi, type TestApi } from '@test/api';
import { faker } from '@test/faker';
import { allowSms } from '@test/factories/sms-settings.factory';
import { until } from '@test/until';
import type { EventPageDto } from '../../apps/customer-api/src/events/event-query.dto';
import { type Sandbox, startSandbox } from '../../apps/sandbox/src/sandbox';

/** `npm run accept:event-order` holds transactions open for 30 s, with 1,000 callers, in the database and over HTTP. */
const FULL = process.env.ACCEPT_EVENT_CALLERS !== undefined;
const CALLERS = Number(process.env.ACCEPT_EVENT_CALLERS ?? 20);
const CUSTOMERS = FULL ? 20 : 3;
const EACH = FULL ? 20 : 10;
const HELD = FULL ? 20 : 5;
const HELD_MS = FULL ? 30_000 : 0;

jest.setTimeout(FULL ? 600_000 : 240_000);

/** A reader that follows the cursor while writers commit in another order than they began in. */
describe('events of transactions that overlap', () => {
  let api: TestApi;
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await startSandbox();
    // A refused message is an event.
    sandbox.elks46.always({ status: 400 });
    api = await startApi({
      SANDBOX_URL: sandbox.url,
      RATE_LIMIT_REQUESTS_PER_MINUTE: '1000000',
      RATE_LIMIT_ADDRESS_PER_MINUTE: '1000000',
      STORED_BYTES_PER_DAY: '10000000000',
    });
  });
  afterAll(async () => {
    await api.stop();
    await sandbox.close();
  });

  /** Follows a customer's log until it is told to stop and nothing is left. */
  function follow(token: string) {
    const seen: { id: string; of: string }[] = [];
    const end = new AbortController();
    const call = caller(api.baseUrl, token);
    const done = (async () => {
      for (let cursor = ''; ;) {
        const last = end.signal.aborted;
        const reply = await call(`/events?limit=7&wait=1${cursor}`);
        if (reply.status !== 200) throw new Error(`${reply.status}: ${await reply.text()}`);
        const page = (await reply.json()) as EventPageDto;
        for (const { id, data } of page.data) seen.push({ id, of: String((data as { id: number | string }).id) });
        cursor = `&cursor=${page.next_cursor}`;
        if (last && page.data.length === 0 && !page.has_more) return;
      }
    })();
    return {
      seen,
      stop: () => {
        end.abort();
        return done;
      },
    };
  }

  async function withTransaction(work: (client: Client) => Promise<void>): Promise<void> {
    const client = new Client({ connectionString: api.database.url });
    await client.connect();
    try {
      await client.query('begin');
      await client.query('set local role account_operator');
      await work(client);
    } finally {
      await client.end();
    }
  }

  const record = (client: Client, customerId: string, n: number) =>
    client.query(`select app.record_event($1, 'ticket.replied', json_build_object('id', $2::int), null)`, [
      customerId,
      n,
    ]);

  /** Sends an SMS that the gateway refuses. A request that the API itself refuses, since it has too many, is sent again. */
  async function sendRefused(call: ReturnType<typeof caller>): Promise<void> {
    const body = JSON.stringify({ to: '+4790000000', message: 'Hello' });
    for (;;) {
      const reply = await call('/sms/send', { method: 'POST', body, headers: { 'content-type': 'application/json' } });
      const { code } = (await reply.json()) as { code: string };
      if (code === 'sms_gateway_rejected') return;
      if (!['rate_limited', 'service_unavailable'].includes(code)) throw new Error(`${reply.status} ${code}`);
    }
  }

  it('are seen once each: those of transactions that were held open, too, and none that was rolled back', async () => {
    const customers = await Promise.all(Array.from({ length: CUSTOMERS }, () => createCaller(api)));
    const readers = customers.map(({ token }) => follow(token.token));
    const [first] = customers;
    const customerId = first?.customer.id ?? '';
    const released = Promise.withResolvers<void>();
    let open = 0;
    const held = Array.from({ length: HELD }, (_, n) =>
      withTransaction(async (client) => {
        await record(client, customerId, 1_000_000 + n);
        open++;
        await released.promise;
        await client.query('commit');
      }),
    );
    await until(() => open === HELD);
    const rolledBack = withTransaction(async (client) => {
      await record(client, customerId, -1);
      await released.promise;
      await client.query('rollback');
    });

    // Meanwhile callers cause events, some in transactions that take their time.
    let next = 0;
    const written = new Map<string, string[]>(customers.map(({ customer }) => [customer.id, []]));
    const callers = Math.min(CALLERS, 40);
    const writers = Array.from({ length: callers }, async () => {
      const client = new Client({ connectionString: api.database.url });
      await client.connect();
      await client.query('set role account_operator');
      for (let round = 0; round < (EACH * CALLERS) / callers; round++) {
        const { customer } = faker.helpers.arrayElement(customers);
        const n = ++next;
        await client.query('begin');
        await record(client, customer.id, n);
        if (faker.datatype.boolean({ probability: 0.2 })) await client.query(`select pg_sleep(random() * 0.05)`);
        await client.query('commit');
        written.get(customer.id)?.push(String(n));
      }
      await client.end();
    });
    await Promise.all(writers);
    // So do callers of the API, all at once.
    for (const { customer } of customers) await allowSms(api.superuser, customer.id, CALLERS);
    await Promise.all(
      Array.from({ length: CALLERS }, (_, n) =>
        sendRefused((customers[n % CUSTOMERS] as (typeof customers)[number]).call),
      ),
    );
    for (const { customer } of customers) {
      const sent = await api.superuser.query<{ id: string }>('select id from sms_message where customer_id = $1', [
        customer.id,
      ]);
      written.get(customer.id)?.push(...sent.rows.map(({ id }) => id));
    }
    expect([...written.values()].flat()).toHaveLength(EACH * CALLERS + CALLERS);
    // None of them waited for those that are held open, and the reader has seen them.
    const own = written.get(customerId)?.length ?? 0;
    await until(() => readers[0]?.seen.length === own);
    if (HELD_MS > 0) await sleep(HELD_MS);
    released.resolve();
    await Promise.all([...held, rolledBack]);
    for (let n = 0; n < HELD; n++) written.get(customerId)?.push(String(1_000_000 + n));

    await Promise.all(readers.map((reader) => reader.stop()));
    for (const [index, { customer }] of customers.entries()) {
      const seen = readers[index]?.seen ?? [];
      expect(new Set(seen.map(({ id }) => id)).size).toBe(seen.length);
      expect(seen.map(({ of }) => of).sort()).toEqual([...(written.get(customer.id) ?? [])].sort());
    }
    const { rows } = await api.superuser.query(
      `select customer_id, count(*)::int as events, max(position)::int as last from event group by 1
       having count(*) <> max(position) or count(distinct position) <> count(*)`,
    );
    expect(rows).toEqual([]);
  });

  it('of customers do not wait for one another, nor those of one customer for a reader', async () => {
    const [one, other] = [await createCaller(api), await createCaller(api)];
    const released = Promise.withResolvers<void>();
    // A reader that is stuck while it gives positions.
    let locked = false;
    const stuck = withTransaction(async (client) => {
      await record(client, one.customer.id, 1);
      await client.query('select app.sequence_events($1)', [one.customer.id]);
      locked = true;
      await released.promise;
      await client.query('commit');
    });
    await until(() => locked);
    for (const { customer } of [one, other])
      await withTransaction(async (client) => {
        await client.query(`set local lock_timeout = '1s'`);
        await record(client, customer.id, 2);
        await client.query('commit');
      });
    const page = (await (await other.call('/events')).json()) as EventPageDto;
    expect(page.data).toHaveLength(1);
    released.resolve();
    await stuck;
    const own = (await (await one.call('/events')).json()) as EventPageDto;
    expect(own.data).toHaveLength(2);
  });
});
