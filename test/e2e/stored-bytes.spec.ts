import { WriteConnectionsService } from '@platform/database';
import { caller, createCaller, startApi, type TestApi } from '@test/api';
import { setDatabaseClock } from '@test/database-clock';
import { expectProblem } from '@test/expect-problem';
import { allowSms } from '@test/factories/sms-settings.factory';
import { operatorCommand } from '@test/operator-command';
import { until } from '@test/until';
import { type Sandbox, startSandbox } from '../../apps/sandbox/src/sandbox';

const MOST = 20_000;
const TEXT = 'æ'.repeat(2_000);

let api: TestApi;
let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
  api = await startApi({ STORED_BYTES_PER_DAY: String(MOST), SANDBOX_URL: sandbox.url });
});
afterAll(async () => {
  await sandbox.close();
  await api.stop();
});

type Caller = Awaited<ReturnType<typeof createCaller>>;
const open = ({ call }: Caller, headers: Record<string, string> = {}) =>
  call('/support/tickets', {
    method: 'POST',
    body: JSON.stringify({ title: 'Stored', body: TEXT }),
    headers: { 'content-type': 'application/json', ...headers },
  });
/** Opens tickets until one is refused. @returns the refusal and how many were accepted */
async function fill(customer: Caller, headers?: () => Record<string, string>) {
  for (let accepted = 0; ; accepted++) {
    const reply = await open(customer, headers?.());
    if (reply.status !== 201) return { reply, accepted };
  }
}
const tickets = async ({ customer }: Caller) =>
  (
    await api.superuser.query<{ count: number }>(
      'select count(*)::int as count from support_ticket where customer_id = $1',
      [customer.id],
    )
  ).rows[0]?.count;

describe('The bytes that a customer stores a day', () => {
  it('are bounded: more is refused, and nothing of it is stored', async () => {
    const [flood, other] = [await createCaller(api), await createCaller(api)];
    const { reply, accepted } = await fill(flood);
    expect(accepted).toBe(4);
    const { detail } = await expectProblem(reply, 429, 'rate_limited');
    expect(detail).toMatch(/^You may store 20000 bytes a day .* midnight UTC$/);
    const untilMidnight = 86_400 - ((Date.now() / 1000) % 86_400);
    expect(Math.abs(Number(reply.headers.get('retry-after')) - untilMidnight)).toBeLessThan(60);
    expect(await tickets(flood)).toBe(4);
    expect((await flood.call('/support/tickets')).status).toBe(200);
    expect((await open(other)).status).toBe(201);
  });

  it('are not what reads store: events that have no position yet are read by a customer that has used them up', async () => {
    const flood = await createCaller(api);
    await fill(flood);
    await api.superuser.query(`select app.record_event($1, 'ticket.replied', '{"id":7}', null)`, [flood.customer.id]);
    const reply = await flood.call('/events');
    expect(reply.status).toBe(200);
    const { data } = (await reply.json()) as { data: { type: string }[] };
    expect(data.map(({ type }) => type)).toContain('ticket.replied');
  });

  it('do not bound the outcome of an SMS that is under way, nor the reply that is kept for it', async () => {
    const flood = await createCaller(api);
    await allowSms(api.superuser, flood.customer.id);
    const send = (headers: Record<string, string> = {}) =>
      flood.call('/sms/send', {
        method: 'POST',
        body: JSON.stringify({ to: '+4790000000', message: 'Hello' }),
        headers: { 'content-type': 'application/json', ...headers },
      });
    const key = { 'idempotency-key': 'under way' };
    const gate = sandbox.elks46.hold();
    const sent = [send(), send(key)];
    await sandbox.elks46.received(2);
    // The refusal is remembered by this process, too.
    await expectProblem((await fill(flood)).reply, 429, 'rate_limited');
    // To the last byte.
    await api.superuser.query('update stored_bytes set bytes = $2 where customer_id = $1', [flood.customer.id, MOST]);
    gate.open();
    expect((await Promise.all(sent)).map(({ status }) => status)).toEqual([201, 201]);
    const log = (await (await flood.call('/sms/log')).json()) as { data: { status: string }[] };
    expect(log.data.map(({ status }) => status)).toEqual(['accepted', 'accepted']);
    const again = await send(key);
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([201, 'true']);
    expect(sandbox.elks46.accepted).toHaveLength(2);
  });

  it('are counted with the keys and replies that are kept, and a refused request leaves its key free', async () => {
    const customer = await createCaller(api);
    let key = 0;
    const { reply, accepted } = await fill(customer, () => ({ 'idempotency-key': `stored-${key++}` }));
    expect(accepted).toBeLessThanOrEqual(4);
    await expectProblem(reply, 429, 'rate_limited');
    expect(await tickets(customer)).toBe(accepted);
    const { rows } = await api.superuser.query('select 1 from idempotency_key where customer_id = $1', [
      customer.customer.id,
    ]);
    expect(rows).toHaveLength(accepted);
  });

  it('are the same over all processes, and a refused customer does not reach the database again', async () => {
    const other = await startApi({ STORED_BYTES_PER_DAY: String(MOST) }, api.database);
    try {
      const customer = await createCaller(api);
      await fill(customer);
      const elsewhere = { ...customer, call: caller(other.baseUrl, customer.token.token) };
      await expectProblem(await open(elsewhere), 429, 'rate_limited');
      const write = jest.spyOn(other.app.get(WriteConnectionsService).line, 'run');
      await expectProblem(await open(elsewhere), 429, 'rate_limited');
      expect(write).not.toHaveBeenCalled();
    } finally {
      await other.app.close();
      await other.superuser.end();
    }
  });

  it('are counted by sample, of small writes under a large bound: as many as they store', async () => {
    const usual = await startApi({ RATE_LIMIT_REQUESTS_PER_MINUTE: '1000' });
    const [sampled, exact] = [await createCaller(usual), await createCaller(api)];
    const stored = async ({ superuser }: TestApi, { customer }: Caller) => {
      const { rows } = await superuser.query<{ bytes: number }>(
        'select coalesce(sum(bytes), 0)::int as bytes from stored_bytes where customer_id = $1',
        [customer.id],
      );
      return rows[0]?.bytes ?? 0;
    };
    const small = ({ call }: Caller) =>
      call('/support/tickets', {
        method: 'POST',
        body: JSON.stringify({ title: 'Stored', body: 'a'.repeat(300) }),
        headers: { 'content-type': 'application/json' },
      });
    const random = jest.spyOn(Math, 'random');
    try {
      await small(exact);
      const each = await stored(api, exact);
      expect(each).toBeGreaterThan(300);
      const WRITES = 64;
      for (let place = 0; place < WRITES; place++) {
        random.mockReturnValue(place / WRITES);
        expect((await small(sampled)).status).toBe(201);
      }
      const sum = await stored(usual, sampled);
      expect(sum % 4096).toBe(0);
      expect(Math.abs(sum - WRITES * each)).toBeLessThanOrEqual(4096);
      random.mockReturnValue(0.999);
      const large = { title: 'Stored', body: TEXT.repeat(2) };
      await sampled.call('/support/tickets', {
        method: 'POST',
        body: JSON.stringify(large),
        headers: { 'content-type': 'application/json' },
      });
      expect((await stored(usual, sampled)) - sum).toBeGreaterThan(8000);
    } finally {
      random.mockRestore();
      await usual.stop();
    }
  });

  it('begin anew with the day of UTC, and the operator sees who stores most', async () => {
    const customer = await createCaller(api);
    await setDatabaseClock(api.superuser, { standsAt: '2031-03-02T23:59:59.500Z' });
    const { reply } = await fill(customer);
    expect(reply.headers.get('retry-after')).toBe('1');
    await setDatabaseClock(api.superuser, { standsAt: '2031-03-03T00:00:01Z' });
    await until(async () => (await open(customer)).status === 201);
    const { stdout } = await operatorCommand(api.database, ['customer', 'storage', '--days', '2', '--json']);
    const [first] = JSON.parse(stdout) as { id: string; bytes: number; largest_day: number }[];
    expect(first).toMatchObject({ id: customer.customer.id });
    expect(first?.bytes).toBeGreaterThan(first?.largest_day ?? Infinity);
    await setDatabaseClock(api.superuser, 'right');
  });
});
