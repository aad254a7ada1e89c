import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { networkOf } from '@platform/http';
import { RefusalRecorderService } from '@platform/refusals';
import { type AiApi, createAiCaller, startAiApi } from '@test/ai-api';
import { caller, createCaller, startApi } from '@test/api';
import { holdLock, waitForLocks } from '@test/locks';
import { operatorCommand } from '@test/operator-command';
import { until } from '@test/until';

interface Row {
  [name: string]: unknown;
  detail: string;
}

let ai: AiApi;
beforeAll(async () => (ai = await startAiApi()));
afterAll(() => ai.stop());

const operator = (words: string, input?: string) =>
  operatorCommand(ai.api.database, words.split(' '), input === undefined ? {} : { input });
const json = async (words: string, input?: string) => {
  const { code, stdout, stderr } = await operator(`${words} --json`, input);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout) as Row | Row[];
};
const list = async (words: string) => (await json(`request list ${words}`)) as Row[];
/** The refusals of a customer, once there are so many: they are written every second. */
const refusalsOf = async (customerId: string, count: number) => {
  let rows: Row[] = [];
  await until(async () => (rows = await list(`--customer ${customerId}`)).length >= count);
  return rows;
};
const fingerprintOf = (token: string) => createHash('sha256').update(token).digest('hex').slice(0, 12);

describe('A refused request is kept for the operator', () => {
  it('with its customer, token, route, code and the text for the caller', async () => {
    const { call, customer, token } = await createCaller(ai.api);
    const reply = await call('/support/tickets', {
      method: 'POST',
      body: JSON.stringify({ body: 'no title\0' }),
      headers: { 'content-type': 'application/json', 'x-request-id': 'the-callers-own' },
    });
    expect(reply.status).toBe(400);
    const [row] = await refusalsOf(customer.id, 1);
    expect(row).toMatchObject({
      ...{ customer_id: customer.id, token_id: token.id, request_id: 'the-callers-own', network: '127.0.0.1' },
      ...{ method: 'POST', route: '/api/v1/support/tickets', status: 400, code: 'invalid_request', fingerprint: null },
    });
    expect(row?.detail).toContain('/title');
    expect(await json(`request show --id the-callers-own --customer ${customer.id}`)).toMatchObject({
      outcome: 'refused',
      code: 'invalid_request',
    });
  });

  it('with the fingerprint of a token that is not valid any more, which tells whose it was', async () => {
    const { call, customer, token } = await createCaller(ai.api);
    await operator(`token deactivate --token ${token.id} --yes`);
    await until(async () => (await call('/customer')).status === 401);
    const fingerprint = fingerprintOf(token.token);
    let rows: Row[] = [];
    await until(async () => (rows = await list(`--fingerprint ${fingerprint}`)).length > 0);
    expect(rows[0]).toMatchObject({ code: 'unauthorized', fingerprint, token_id: null });
    const [holder] = (await json(`token find --fingerprint ${fingerprint}`)) as Row[];
    expect(holder).toMatchObject({ id: token.id, customer_id: customer.id, active: false });
    expect(await json('token find --token-stdin', `found: ${token.token}\n`)).toEqual([holder]);
  });

  it('with the refusal of the provider, and an AI message with its charge', async () => {
    const { post, customer } = await createAiCaller(ai);
    const MESSAGE = { max_tokens: 10, messages: [{ role: 'user', content: 'Hello' }] };
    const ask = () => post('/ai/messages', MESSAGE);
    ai.sandbox.messages.script({ status: 529 });
    const refused = await ask();
    expect(refused.status).toBe(502);
    const failed = refused.headers.get('x-request-id');
    const [row] = await refusalsOf(customer.id, 1);
    expect(row).toMatchObject({ request_id: failed, status: 502, upstream: expect.stringMatching(/^529/) });
    const both = (await json(`request show --id ${failed}`)) as Row[];
    expect(both.map(({ outcome }) => outcome).sort()).toEqual(['refused', 'released']);
    const charged = await ask();
    expect(charged.ok).toBe(true);
    const usage = charged.headers.get('x-ai-usage-id');
    const shownOnce = async () =>
      expect(await json(`request show --id ${charged.headers.get('x-request-id')}`)).toMatchObject({
        ...{ outcome: 'charged', id: usage, customer_id: customer.id },
        charged: expect.stringMatching(/^0\.\d*[1-9]/),
      });
    await shownOnce();
    // As when its outcome was unknown for a while: the reservation stays.
    await ai.api.superuser.query(
      `insert into ai_reservation (customer_id, id, state, amount, model, price_valid_from, input_tokens_bound, max_tokens,
         deadline, request_id, created_at, resolved_at)
       select customer_id, id, 'settled_late', cost, model, price_valid_from, 1, 1, created_at, api_request_id, created_at, created_at
       from ai_usage where customer_id = $1 and id = $2`,
      [customer.id, usage],
    );
    await shownOnce();
    // A caller may choose any id: another customer's call may have the same.
    const other = await createAiCaller(ai);
    for (const caller of [other, { post, customer }])
      for (const status of [200, 529]) {
        ai.sandbox.messages.script({ status });
        await caller.post('/ai/messages', MESSAGE, { headers: { 'x-request-id': 'of-both' } });
      }
    const shown = async (words: string) =>
      ((await json(`request show --id of-both${words}`)) as Row[])
        .filter(({ outcome }) => outcome !== 'refused')
        .map(({ outcome, customer_id: id }) => [outcome, id === other.customer.id]);
    expect((await shown('')).sort()).toEqual([
      ['charged', false],
      ['charged', true],
      ['released', false],
      ['released', true],
    ]);
    expect((await shown(` --customer ${other.customer.id}`)).sort()).toEqual([
      ['charged', true],
      ['released', true],
    ]);
  });

  it('while one that succeeded and cost nothing is in the log files', async () => {
    const LOG_DIRECTORY = await mkdtemp(join(tmpdir(), 'logs-'));
    const config = { ...ai.api.database.config, LOG_DIRECTORY, LOG_LEVEL: 'info' as const };
    const logging = await startApi({}, { ...ai.api.database, config });
    try {
      const { token, customer } = await createCaller(ai.api);
      const reply = await caller(logging.baseUrl, token.token)('/customer');
      const words = `request show --id ${reply.headers.get('x-request-id')} --json`.split(' ');
      const show = (environment: Record<string, string>) => operatorCommand(ai.api.database, words, { environment });
      // Lines are written once a second.
      await until(async () => (await show({ LOG_DIRECTORY })).code === 0);
      expect(JSON.parse((await show({ LOG_DIRECTORY })).stdout)).toMatchObject({
        ...{ outcome: 'succeeded', status: 200, method: 'GET', route: '/api/v1/customer' },
        ...{ customer_id: customer.id, token_id: token.id },
      });
      expect((await show({})).stderr).toContain("in the API's log only");
    } finally {
      await logging.app.close();
      await logging.superuser.end();
      await rm(LOG_DIRECTORY, { recursive: true });
    }
  });

  it('up to a number a minute of one customer, so that a flood of them fills nothing', async () => {
    const [flood, other] = [await createCaller(ai.api), await createCaller(ai.api)];
    await Promise.all(Array.from({ length: 60 }, () => flood.call('/invoices/0')));
    await other.call('/invoices/0');
    await refusalsOf(other.customer.id, 1);
    expect(await refusalsOf(flood.customer.id, 1)).toHaveLength(20);
    expect(ai.api.app.get(RefusalRecorderService).notKept).toBeGreaterThanOrEqual(40);
  });

  it('up to a number a minute of all, of which callers without a token leave room for others', () => {
    let ahead = 60_000;
    const now = performance.now.bind(performance);
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now() + ahead);
    const recorder = ai.api.app.get(RefusalRecorderService);
    const keptOf = (party: (place: number) => { network: string; customerId?: string }) => {
      const before = recorder.notKept;
      for (let place = 0; place < 400; place++)
        recorder.record({ requestId: 'flood', method: 'GET', status: 404, durationMs: 1, ...party(place) });
      return 400 - (recorder.notKept - before);
    };
    try {
      const ofNetworks = () => keptOf((place) => ({ network: `192.0.2.${place}` }));
      const ofCustomers = () => keptOf(() => ({ network: '192.0.2.1', customerId: randomUUID() }));
      expect([ofNetworks(), ofNetworks(), ofCustomers()]).toEqual([60, 0, 240]);
      ahead += 60_000;
      expect([ofCustomers(), ofNetworks()]).toEqual([300, 0]);
      ahead += 60_000;
      expect(ofNetworks()).toBe(60);
    } finally {
      clock.mockRestore();
    }
  });

  it('not at all if that is not wanted', async () => {
    const { api } = ai;
    const config = { ...api.database.config, REFUSAL_RETENTION_DAYS: 0 };
    const silent = await startApi({}, { ...api.database, config });
    const { token, customer } = await createCaller(api);
    expect((await caller(silent.baseUrl, token.token)('/invoices/0')).status).toBe(404);
    // Closing writes all that is kept.
    await silent.app.close();
    await silent.superuser.end();
    expect(await list(`--customer ${customer.id}`)).toEqual([]);
  });

  it('while others are being stored', async () => {
    const { call, customer } = await createCaller(ai.api);
    const later = await createCaller(ai.api);
    const release = await holdLock(ai.api.database, 'lock table refused_request in share mode');
    try {
      expect((await call('/invoices/0')).status).toBe(404);
      await waitForLocks(ai.api.superuser, 1);
      expect((await call('/invoices/0')).status).toBe(404);
    } finally {
      await release();
    }
    await refusalsOf(customer.id, 1);
    // They are stored in order: with one that came later, all before it.
    expect((await later.call('/invoices/0')).status).toBe(404);
    await refusalsOf(later.customer.id, 1);
    expect(await list(`--customer ${customer.id}`)).toHaveLength(2);
  });

  it('though the database takes another one of the same second not', async () => {
    const { customer } = await createCaller(ai.api);
    const recorder = ai.api.app.get(RefusalRecorderService);
    const before = recorder.notKept;
    for (const status of [404, 99_999, 400]) {
      const refusal = { requestId: `refused with ${status}`, network: '192.0.2.1', method: 'GET', durationMs: 1 };
      recorder.record({ ...refusal, customerId: customer.id, status });
    }
    const kept = await refusalsOf(customer.id, 2);
    expect(kept.map(({ status }) => status).sort()).toEqual([400, 404]);
    expect(recorder.notKept - before).toBe(1);
  });

  it('without a network, if its connection was reset before its address was read', async () => {
    const { customer } = await createCaller(ai.api);
    const network = networkOf({ ip: undefined });
    const refusal = { requestId: 'reset', method: 'GET', status: 404, durationMs: 1 };
    ai.api.app.get(RefusalRecorderService).record({ ...refusal, customerId: customer.id, network });
    expect(await refusalsOf(customer.id, 1)).toMatchObject([{ request_id: 'reset', network: '' }]);
  });

  it('at the end of a process, too', async () => {
    const { api } = ai;
    const ending = await startApi({}, api.database);
    const { token, customer } = await createCaller(api);
    expect((await caller(ending.baseUrl, token.token)('/invoices/0')).status).toBe(404);
    await ending.app.close();
    await ending.superuser.end();
    expect(await list(`--customer ${customer.id} --status 404 --code not_found --network 127.0.0.1`)).toHaveLength(1);
  });

  it('while others are asked for by ids that nobody has, and a token is not printed back', async () => {
    expect(await operator('request show --id nobody-has-it')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('nobody-has-it'),
    });
    const { token } = await createCaller(ai.api);
    const words = [`token deactivate --token ${token.token} --yes`, `customer show --customer ${token.token}`];
    for (const line of words) {
      const { code, stdout, stderr } = await operator(line);
      expect(code).not.toBe(0);
      expect(stdout + stderr).not.toContain(token.token);
    }
    expect(await operator('token find --token-stdin', 'no token')).toMatchObject({ code: 4 });
    // Every one that is in a file has to be found.
    const other = await createCaller(ai.api);
    const file = `# API=cas_live_xxxx\nTEST=${token.token}\nPRODUCTION=${other.token.token}\n`;
    const found = (await json('token find --token-stdin', file)) as Row[];
    expect(found.map(({ id }) => id).sort()).toEqual([token.id, other.token.id].sort());
  });
});
