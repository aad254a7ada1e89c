import { setTimeout as delay } from 'node:timers/promises';
import { AppConfig } from '@platform/config';
import { type AiApi, createAiCaller, startAiApi } from '@test/ai-api';
import { balancesOf } from '@test/ai.fixture';
import { caller, startApi } from '@test/api';
import { startTcpProxy } from '@test/tcp-proxy';

/** Prices: 1,000 NOK per million tokens in, 1,250 and 2,000 for cache writes, 100 for cache reads, 5,000 out. */
describe('the charge of an AI message', () => {
  let fixture: AiApi;
  beforeAll(async () => (fixture = await startAiApi()));
  afterAll(() => fixture.stop());
  beforeEach(() => fixture.sandbox.reset());

  const cached = {
    messages: [
      {
        role: 'user',
        content: [{ type: 'text', text: 'x'.repeat(2000), cache_control: { type: 'ephemeral', ttl: '1h' } }],
      },
    ],
    max_tokens: 100,
  };

  /**
   * Sends one message for which the provider reports this usage. @returns its cost according to the API and the usage
   * row
   */
  async function charge(usage: object, body: object = cached) {
    const { customer, call, post } = await createAiCaller(fixture, { included: 50 });
    fixture.sandbox.messages.script({ usage: JSON.stringify(usage) });
    expect((await post('/ai/messages', body)).status).toBe(201);
    const { ai } = (await (await call('/ai')).json()) as { ai: { current_month_usage: number } };
    const { rows } = await fixture.api.superuser.query<Record<string, number>>(
      `select cost::float, input_tokens as input, cache_write_5m_tokens as "5m", cache_write_1h_tokens as "1h",
         cache_read_tokens as read, output_tokens as output from ai_usage where customer_id = $1`,
      [customer.id],
    );
    expect(rows).toHaveLength(1);
    expect(ai.current_month_usage).toBe(rows[0]?.cost);
    return rows[0];
  }

  it('has a price for each kind of token', async () => {
    const none = { cache_creation_input_tokens: 0, cache_read_input_tokens: 0, cache_creation: null };
    expect(await charge({ ...none, input_tokens: 100, output_tokens: 0 })).toMatchObject({ cost: 0.1 });
    expect(await charge({ ...none, input_tokens: 0, output_tokens: 20 })).toMatchObject({ cost: 0.1 });
    expect(await charge({ ...none, input_tokens: 0, output_tokens: 0, cache_read_input_tokens: 1000 })).toMatchObject({
      cost: 0.1,
    });
  });

  it('tells cache writes of five minutes and of an hour apart where the provider does', async () => {
    const usage = {
      input_tokens: 10,
      output_tokens: 4,
      cache_creation_input_tokens: 100,
      cache_creation: { ephemeral_5m_input_tokens: 40, ephemeral_1h_input_tokens: 60 },
      cache_read_input_tokens: 200,
    };
    expect(await charge(usage)).toEqual({ cost: 0.22, input: 10, '5m': 40, '1h': 60, read: 200, output: 4 });
  });

  it.each([
    ['no split by lifetime', null],
    ['an empty split', {}],
  ])('takes cache writes with %s for five minutes', async (_name, cache_creation) => {
    const usage = {
      input_tokens: 10,
      output_tokens: 4,
      cache_creation_input_tokens: 100,
      cache_creation,
      cache_read_input_tokens: 200,
    };
    expect(await charge(usage)).toEqual({ cost: 0.175, input: 10, '5m': 100, '1h': 0, read: 200, output: 4 });
  });

  it('takes what a split leaves out for five minutes, and counts nothing twice', async () => {
    const usage = {
      input_tokens: 0,
      output_tokens: 0,
      cache_creation_input_tokens: 100,
      cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 60 },
      cache_read_input_tokens: 0,
    };
    expect(await charge(usage)).toMatchObject({ cost: 0.17, '5m': 40, '1h': 60 });
  });

  it('is made once, and the message handed out, though the database is away between answer and settlement', async () => {
    const { customer, token } = await createAiCaller(fixture, { included: 5 });
    const proxy = await startTcpProxy(Number(new URL(fixture.api.database.url).port));
    const url = fixture.api.database.url.replace(/:\d+\//, `:${proxy.port}/`);
    const config = Object.assign(new AppConfig(), fixture.api.database.config, { DATABASE_URL: url });
    const api = await startApi({}, { ...fixture.api.database, url, config });
    try {
      const gate = fixture.sandbox.messages.hold();
      const reply = caller(api.baseUrl, token.token)('/ai/messages', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ messages: [{ role: 'user', content: 'Hello' }], max_tokens: 10 }),
      });
      await fixture.sandbox.messages.received(1);
      proxy.down();
      gate.open();
      // Long enough for several failed settlements; the caller waits.
      expect(await Promise.race([reply.then(({ status }) => status), delay(1000, 'waiting')])).toBe('waiting');
      proxy.up();
      expect((await reply).status).toBe(201);
      const { rows } = await fixture.api.superuser.query<{ calls: number; cost: number }>(
        'select count(*)::int as calls, sum(cost)::float as cost from ai_usage where customer_id = $1',
        [customer.id],
      );
      expect(rows[0]).toMatchObject({ calls: 1 });
      expect(await balancesOf(fixture.api.superuser, customer.id)).toMatchObject({ reserved: 0, usage: rows[0]?.cost });
      expect(fixture.sandbox.messages.total).toBe(1);
    } finally {
      await api.app.close();
      await api.superuser.end();
      await proxy.close();
    }
  });
});
