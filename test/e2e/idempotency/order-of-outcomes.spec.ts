import { randomUUID } from 'node:crypto';
import { type AiApi, createAiCaller, startAiApi } from '@test/ai-api';
import { connectAsSuperuser } from '@test/test-database';
import { startApi, type TestApi } from '@test/api';
import { expectProblem } from '@test/expect-problem';
import { until } from '@test/until';

/** Costs 2.8 NOK at most by its length, and 1.125 once its tokens are counted. */
const MESSAGE = { messages: [{ role: 'user', content: 'x'.repeat(2000) }], max_tokens: 100 };
const OTHER = { ...MESSAGE, max_tokens: 99 };
const THINKING = { ...MESSAGE, max_tokens: 2000, thinking: { type: 'enabled', budget_tokens: 1024 } };
const SHORT = { messages: [{ role: 'user', content: 'Hello' }], max_tokens: 10 };

const credit = (nok: number) => `update ai_account set included = 0, purchased = ${nok} where customer_id = $1`;

/** What refuses a message that has no Idempotency-Key, or a new one. */
const REFUSALS: [string, string, number, string][] = [
  ['the credit is used up', credit(0), 402, 'credit_exhausted'],
  ['the credit does not do, counted or not', credit(0.7), 402, 'credit_exhausted'],
  [
    'calls in progress have reserved the credit',
    `update ai_account set reserved = included + purchased where customer_id = $1`,
    402,
    'credit_exhausted',
  ],
  ['the month has its limit', 'update ai_settings set total_limit = 0 where customer_id = $1', 402, 'credit_exhausted'],
  [
    'the model has no price any more',
    `update ai_settings set model = 'unpriced' where customer_id = $1`,
    403,
    'ai_not_configured',
  ],
];

describe('what a request with an Idempotency-Key is told first', () => {
  let ai: AiApi;
  /** Another process, whose longest answers are shorter. */
  let other: TestApi;
  beforeAll(async () => {
    ai = await startAiApi({ AI_UPSTREAM_TIMEOUT_MS: '60000', DATABASE_STATEMENT_TIMEOUT_MS: '2500' });
    const { database } = ai.api;
    const config = { ...database.config, AI_OUTPUT_TOKENS_LIMIT: 1000, AI_STREAM_OUTPUT_TOKENS_LIMIT: 1000 };
    other = await startApi({}, { ...database, config, drop: () => Promise.resolve() });
  });
  afterAll(async () => {
    await other.stop();
    await ai.stop();
  });
  afterEach(() => ai.sandbox.reset());

  async function arrange(path: string) {
    const me = await createAiCaller(ai, { purchased: 1000 });
    const send = (body: object, key: string) => me.post(path, body, { headers: { 'idempotency-key': key } });
    /** Sends the message to the other process. */
    const elsewhere = (body: object, key: string) =>
      fetch(`${other.baseUrl}${path}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${me.token.token}`,
          'content-type': 'application/json',
          'idempotency-key': key,
        },
        body: JSON.stringify(body),
      });
    const change = (sql: string) => ai.api.superuser.query(sql, [me.customer.id]);
    return { ...me, send, elsewhere, change };
  }

  async function expectReplay(reply: Response, first: { status: number; text: string }): Promise<void> {
    expect([reply.status, reply.headers.get('idempotency-replayed'), await reply.text()]).toEqual([
      first.status,
      'true',
      first.text,
    ]);
  }
  const read = async (reply: Response) => ({ status: reply.status, text: await reply.text() });

  describe.each([
    ['/ai/messages', 'JSON', {}],
    ['/ai/v1/messages', 'a stream', { stream: true }],
  ])('on POST %s, as %s', (path, _, form) => {
    const message = { ...MESSAGE, ...form };
    const different = { ...OTHER, ...form };

    it.each(REFUSALS)('is the reply that was kept, also while %s', async (_reason, sql, status, code) => {
      const { send, change } = await arrange(path);
      const key = randomUUID();
      const first = await read(await send(message, key));
      await change(sql);
      await expectProblem(await send(message, randomUUID()), status, code as 'credit_exhausted');
      const { total } = ai.sandbox.messages;
      const counted = ai.sandbox.countTokens.total;
      await expectReplay(await send(message, key), first);
      await expectProblem(await send(different, key), 422, 'idempotency_key_reused');
      expect([ai.sandbox.messages.total, ai.sandbox.countTokens.total]).toEqual([total, counted]);
    });

    it('is the reply that was kept where the credit would do only for counted tokens, which are not counted', async () => {
      const { send, change } = await arrange(path);
      const key = randomUUID();
      const first = await read(await send(message, key));
      await change(credit(1.5));
      await expectReplay(await send(message, key), first);
      await expectProblem(await send(different, key), 422, 'idempotency_key_reused');
      expect([ai.sandbox.messages.total, ai.sandbox.countTokens.total]).toEqual([1, 0]);
      // Another key's are: the credit was such.
      expect((await send(message, randomUUID())).ok).toBe(true);
      expect(ai.sandbox.countTokens.total).toBe(1);
    });

    it('is the reply that was kept, also while the account is locked', async () => {
      const { send, customer } = await arrange(path);
      const key = randomUUID();
      const first = await read(await send(message, key));
      const locker = await connectAsSuperuser(ai.api.database);
      await locker.query('begin');
      await locker.query('select from ai_account where customer_id = $1 for update', [customer.id]);
      const [again, fresh] = await Promise.all([send(message, key), send(message, randomUUID())]);
      await locker.query('rollback');
      await locker.end();
      await expectProblem(fresh, 503, 'service_unavailable');
      await expectReplay(again, first);
    });

    it('is that its first try is in progress, whatever would refuse it, in this process and in another', async () => {
      const { send, elsewhere, change } = await arrange(path);
      const key = randomUUID();
      const gate = ai.sandbox.messages.hold();
      const first = send(message, key);
      await gate.holding(1);
      for (const free of [1000, 1.5, 0.7, 0]) {
        await change(`update ai_account set purchased = reserved + ${free} where customer_id = $1`);
        for (const sent of [send, elsewhere]) {
          await expectProblem(await sent(message, key), 409, 'idempotency_key_in_progress');
          await expectProblem(await sent(different, key), 422, 'idempotency_key_reused');
        }
      }
      gate.open();
      const kept = await read(await first);
      await expectReplay(await elsewhere(message, key), kept);
      await expectReplay(await send(message, key), kept);
      expect([ai.sandbox.messages.total, ai.sandbox.countTokens.total]).toEqual([1, 0]);
    });

    // The provider's own status, at the address for its SDKs.
    const overloaded = path === '/ai/messages' ? 502 : 529;

    it('is the refusal itself where nothing was kept, and the key is free then', async () => {
      const { send, change } = await arrange(path);
      const key = randomUUID();
      await change(credit(0));
      for (let retry = 0; retry < 2; retry++) await expectProblem(await send(message, key), 402, 'credit_exhausted');
      await expectProblem(await send(different, key), 402, 'credit_exhausted');
      await change(credit(1000));
      ai.sandbox.messages.script({ status: 529 });
      await expectProblem(await send(message, key), overloaded, 'ai_upstream_failed');
      expect(await read(await send(different, key))).toMatchObject({ status: path === '/ai/messages' ? 201 : 200 });
    });

    it('is that the provider failed, and never that the key is in progress, when its release takes long', async () => {
      const { send, customer } = await arrange(path);
      const key = randomUUID();
      ai.sandbox.messages.always({ status: 529 });
      const gate = ai.sandbox.messages.hold();
      const sent = send(message, key);
      await gate.holding(1);
      const locker = await connectAsSuperuser(ai.api.database);
      await locker.query('begin');
      await locker.query('select from ai_account where customer_id = $1 for update', [customer.id]);
      gate.open();
      await expectProblem(await sent, overloaded, 'ai_upstream_failed');
      await locker.query('rollback');
      await locker.end();
      ai.sandbox.reset();
      await until(async () => (await send(message, key)).ok);
      expect(ai.sandbox.messages.total).toBe(1);
    });
  });

  it('is the reply that was kept where the request would be invalid by now', async () => {
    const { send, elsewhere } = await arrange('/ai/v1/messages');
    const key = randomUUID();
    const first = await read(await send(THINKING, key));
    await expectProblem(await elsewhere(THINKING, randomUUID()), 400, 'invalid_request');
    await expectReplay(await elsewhere(THINKING, key), first);
    const more = { ...THINKING, max_tokens: 2001 };
    await expectProblem(await elsewhere(more, key), 422, 'idempotency_key_reused');
  });

  it('is the reply that was kept, also while the provider is down', async () => {
    const down = await startAiApi({ UPSTREAM_BREAKER_FAILURES: '3', UPSTREAM_BREAKER_RESET_MS: '60000' });
    const { post } = await createAiCaller(down, { purchased: 100 });
    const callers = await Promise.all(Array.from({ length: 3 }, () => createAiCaller(down, { purchased: 100 })));
    const key = randomUUID();
    const send = (body: object) => post('/ai/messages', body, { headers: { 'idempotency-key': key } });
    const first = await read(await send(SHORT));
    down.sandbox.messages.always({ status: 500 });
    let turn = 0;
    await until(async () => {
      const before = down.sandbox.messages.total;
      await callers[turn++ % callers.length]?.post('/ai/messages', SHORT);
      return down.sandbox.messages.total === before;
    });
    const { total } = down.sandbox.messages;
    await expectReplay(await send(SHORT), first);
    await expectProblem(await send({ ...SHORT, max_tokens: 11 }), 422, 'idempotency_key_reused');
    expect(down.sandbox.messages.total).toBe(total);
    await down.stop();
  });
});
