import { randomBytes, randomUUID } from 'node:crypto';
import { ReplySealerService } from '@platform/idempotency';
import { type AiApi, createAiCaller, startAiApi } from '@test/ai-api';
import { startApi } from '@test/api';
import { balancesOf } from '@test/ai.fixture';
import { expectProblem } from '@test/expect-problem';
import { askKeyed, sendKeyed } from '@test/keyed-message';
import { operatorCommand } from '@test/operator-command';
import { until } from '@test/until';

const MESSAGE = { messages: [{ role: 'user', content: 'Hello' }], max_tokens: 50 };
const ROUTES = ['/ai/messages', '/ai/v1/messages'] as const;

describe('an AI message with an Idempotency-Key', () => {
  let ai: AiApi;
  beforeAll(async () => (ai = await startAiApi({ AI_UPSTREAM_TIMEOUT_MS: '60000' })));
  afterAll(() => ai.stop());
  afterEach(() => ai.sandbox.reset());

  /** A customer, and a request that is sent again and again under one key. */
  async function arrange(path: string, body: object) {
    const me = await createAiCaller(ai, { included: 0, purchased: 1000 });
    const key = randomUUID();
    const keys = async () => {
      const sql = 'select state, reply is not null as "hasReply" from idempotency_key where customer_id = $1';
      return (await ai.api.superuser.query(sql, [me.customer.id])).rows as object[];
    };
    const send = (other: object = body) => me.post(path, other, { headers: { 'idempotency-key': key } });
    return { ...me, key, send, keys };
  }

  /** Retries are told that the request is done; it was charged, and its reply is not kept. @returns the charge */
  async function expectNotKept(
    { send, keys, call, customer }: Awaited<ReturnType<typeof arrange>>,
    { path, id }: { path: string; id: string | null },
  ): Promise<number> {
    for (let retry = 0; retry < 2; retry++) {
      const refused = await send();
      expect(refused.headers.get('x-should-retry')).toBe(path === '/ai/messages' ? null : 'false');
      const { detail } = await expectProblem(refused, 409, 'idempotency_reply_not_kept');
      expect(detail).toContain(id);
    }
    expect(await keys()).toEqual([{ state: 'done', hasReply: false }]);
    expect(ai.sandbox.messages.total).toBe(1);
    const { cost } = (await (await call(`/ai/usage/${id}`)).json()) as { cost: number };
    expect(await balancesOf(ai.api.superuser, customer.id)).toMatchObject({ usage: cost, reserved: 0 });
    return cost;
  }

  describe.each(ROUTES)('on POST %s', (path) => {
    it('is replayed with its receipt and its cost, and does not say what credit was left', async () => {
      const { send, customer } = await arrange(path, MESSAGE);
      const first = await send();
      const cost = first.headers.get('x-ai-cost');
      expect(Number(cost)).toBe((await balancesOf(ai.api.superuser, customer.id)).usage);
      expect(first.headers.get('x-ai-credit-remaining')).not.toBeNull();
      const again = await send();
      expect(await again.text()).toBe(await first.text());
      expect(Object.fromEntries(again.headers)).toMatchObject({
        'idempotency-replayed': 'true',
        'x-ai-usage-id': first.headers.get('x-ai-usage-id'),
        'x-ai-cost': cost,
        'content-type': first.headers.get('content-type'),
      });
      expect(again.headers.get('x-ai-credit-remaining')).toBeNull();
    });

    it('is replayed while AI is disabled; another key, and none, is refused before the body is looked at', async () => {
      const { send, customer, post } = await arrange(path, MESSAGE);
      const first = await (await send()).text();
      const disable = ['ai', 'configure', '--customer', customer.id, '--enabled', 'false'];
      expect(await operatorCommand(ai.api.database, disable)).toMatchObject({ code: 0, stderr: '' });
      await until(async () => (await post(path, {})).status === 403);
      const again = await send();
      expect([again.headers.get('idempotency-replayed'), await again.text()]).toEqual(['true', first]);
      await expectProblem(await send({ ...MESSAGE, max_tokens: 49 }), 422, 'idempotency_key_reused');
      const unused = { headers: { 'idempotency-key': randomUUID() } };
      await expectProblem(await post(path, MESSAGE, unused), 403, 'ai_disabled');
      await expectProblem(await post('/ai/v1/messages/count_tokens', MESSAGE, unused), 403, 'ai_disabled');
      expect(ai.sandbox.messages.total).toBe(1);
    });

    it('is replayed as the stream that it was, whose cost is known then', async () => {
      const { send, call } = await arrange(path, { ...MESSAGE, stream: true });
      const first = await send();
      const events = await first.text();
      const again = await send();
      expect(await again.text()).toBe(events);
      const id = first.headers.get('x-ai-usage-id');
      const { cost } = (await (await call(`/ai/usage/${id}`)).json()) as { cost: number };
      expect(cost).toBeGreaterThan(0);
      expect(Object.fromEntries(again.headers)).toMatchObject({
        'idempotency-replayed': 'true',
        'x-ai-usage-id': id,
        'x-ai-cost': String(cost),
        'x-accel-buffering': 'no',
        'content-type': 'text/event-stream; charset=utf-8',
      });
    });

    it('is replayed as a stream also to a client that left before it had begun', async () => {
      const { key, call, token } = await arrange(path, MESSAGE);
      const message = { path, stream: true, token: token.token, key, content: '[[sandbox:event-delay=30]]' };
      const gate = ai.sandbox.messages.hold();
      const sent = sendKeyed(ai.api.baseUrl, message);
      await gate.holding(1);
      sent.lose();
      await sent.ended;
      // By then the API knows that the client has gone.
      await call('/ai');
      gate.open();
      let reply = await askKeyed(ai.api.baseUrl, message);
      while (reply.status === 409) reply = await askKeyed(ai.api.baseUrl, message);
      expect(reply).toMatchObject({ status: path === '/ai/messages' ? 201 : 200, replayed: true, whole: true });
      expect(reply.body.toString()).toContain('event: message_stop');
      expect(ai.sandbox.messages.total).toBe(1);
    });

    it('is asked for less often the longer it takes, so that an SDK does not give up', async () => {
      const { send, customer } = await arrange(path, MESSAGE);
      const gate = ai.sandbox.messages.hold();
      const first = send();
      await gate.holding(1);
      for (const [age, wait] of [
        ['0 seconds', '2'],
        ['30 seconds', '15'],
        ['10 minutes', '20'],
      ] as const) {
        const claimed = `update idempotency_key set created_at = app.now() - $2::interval where customer_id = $1`;
        await ai.api.superuser.query(claimed, [customer.id, age]);
        const retry = await send();
        expect(retry.headers.get('retry-after')).toBe(wait);
        expect((await retry.json()) as object).toMatchObject({
          status: 409,
          code: 'idempotency_key_in_progress',
          detail: `A request with this Idempotency-Key is in progress; try again in ${wait} s`,
        });
      }
      gate.open();
      expect((await first).ok).toBe(true);
    });

    it('is free for a retry when the process that worked on it is gone, and is then charged once', async () => {
      const { key, send, customer, token } = await arrange(path, MESSAGE);
      const other = await startApi({}, { ...ai.api.database, drop: () => Promise.resolve() });
      const retry = () =>
        askKeyed(other.baseUrl, { path, stream: false, token: token.token, key, content: 'Hello', maxTokens: 50 });
      const change = (set: string, ...values: string[]) =>
        ai.api.superuser.query(`update ${set} where customer_id = $1`, [customer.id, ...values]);
      const gate = ai.sandbox.messages.hold();
      const first = send();
      await gate.holding(1);
      expect(await retry()).toMatchObject({ status: 409 });
      await change(`idempotency_key set created_at = app.now() - interval '6 seconds'`);
      expect(await retry()).toMatchObject({ status: 409 });
      await change('ai_reservation set process_id = $2', randomUUID());
      const second = retry();
      await gate.holding(2);
      gate.release(1);
      // It was not gone: its answer comes while the retry has the key.
      await expectProblem(await first, 409, 'idempotency_key_in_progress');
      gate.open();
      expect(await second).toMatchObject({ whole: true, replayed: false });
      const { status, usageId, body } = await second;
      expect(status).toBe(path === '/ai/messages' ? 201 : 200);
      const again = await send();
      expect([again.headers.get('x-ai-usage-id'), await again.text()]).toEqual([usageId, body.toString()]);
      expect((await balancesOf(ai.api.superuser, customer.id)).usage).toBe(Number(again.headers.get('x-ai-cost')));
      await other.stop();
    });

    it.each([
      ['JSON', {}, largeMessage],
      ['a stream', { stream: true }, largeStream],
    ])('is not run again when its reply was too large to be kept, as %s', async (_, form, reply) => {
      const arranged = await arrange(path, { ...MESSAGE, ...form, max_tokens: 21_333 });
      ai.sandbox.messages.script({ reply: reply() });
      const first = await arranged.send();
      expect(first.ok).toBe(true);
      expect((await first.text()).length).toBeGreaterThan(2 * 1024 * 1024);
      expect(await expectNotKept(arranged, { path, id: first.headers.get('x-ai-usage-id') })).toBe(0.006);
    });

    it.each([
      ['JSON', {}, '"stop_reason"'],
      ['a stream', { stream: true }, 'event: message_stop'],
    ])('is charged and answered though its reply cannot be sealed, as %s', async (_, form, end) => {
      const arranged = await arrange(path, { ...MESSAGE, ...form });
      const seal = jest.spyOn(ai.api.app.get(ReplySealerService), 'seal').mockRejectedValueOnce(new Error('a fault'));
      const first = await arranged.send();
      expect(first.ok).toBe(true);
      expect(await first.text()).toContain(end);
      seal.mockRestore();
      const cost = await expectNotKept(arranged, { path, id: first.headers.get('x-ai-usage-id') });
      expect(cost).toBeGreaterThan(0);
    });
  });

  it('has no part in the counting of tokens, which has no effect', async () => {
    const { send, keys } = await arrange('/ai/v1/messages/count_tokens', MESSAGE);
    const counts = [
      await send(),
      await send(),
      await send({ messages: [{ role: 'user', content: 'Something longer' }] }),
    ];
    for (const reply of counts) expect([reply.status, reply.headers.get('idempotency-replayed')]).toEqual([200, null]);
    const [one, same, other] = await Promise.all(counts.map(async (reply) => (await reply.json()) as object));
    expect(same).toEqual(one);
    expect(other).not.toEqual(one);
    expect(ai.sandbox.countTokens.total).toBe(3);
    expect(await keys()).toEqual([]);
  });
});

const USAGE = { input_tokens: 1, output_tokens: 1 };
const REPLY = { id: 'msg_1', type: 'message', role: 'assistant', model: 'any', usage: USAGE };
const END = { stop_reason: 'end_turn', stop_sequence: null };

/** More than 2 MB, also when it is compressed. */
function largeMessage() {
  const text = randomBytes(2_130_000).toString('base64');
  return { body: { ...REPLY, ...END, content: [{ type: 'text', text }] } };
}

function largeStream() {
  const event = (type: string, rest: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`;
  const texts = Array.from({ length: 300 }, () => randomBytes(7_500).toString('base64'));
  const events = [
    event('message_start', { message: { ...REPLY, content: [] } }),
    event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    ...texts.map((text) => event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } })),
    event('content_block_stop', { index: 0 }),
    event('message_delta', { delta: END, usage: USAGE }),
    event('message_stop', {}),
  ];
  return { headers: { 'content-type': 'text/event-stream' }, body: events.join('') };
}

describe('a replay', () => {
  let ai: AiApi;
  beforeAll(async () => (ai = await startAiApi({ RATE_LIMIT_AI_PER_MINUTE: '2' })));
  afterAll(() => ai.stop());

  it.each(ROUTES)(
    'on POST %s is no AI message: it counts only as a request, and comes beyond the limit, too',
    async (path) => {
      const { post, customer } = await createAiCaller(ai, { included: 0, purchased: 1000 });
      const send = (key: string) => post(path, MESSAGE, { headers: { 'idempotency-key': key } });
      const remaining = ({ headers }: Response) => Number(headers.get('x-ratelimit-remaining'));
      const key = randomUUID();
      const first = await send(key);
      const text = await first.text();
      for (let retry = 0; retry < 3; retry++) {
        const again = await send(key);
        expect([again.headers.get('idempotency-replayed'), await again.text(), remaining(again)]).toEqual([
          'true',
          text,
          1,
        ]);
      }
      expect(remaining(await post(path, MESSAGE))).toBe(0);
      const refused = await expectProblem(await send(randomUUID()), 429, 'rate_limited');
      expect(refused).toMatchObject({
        detail: expect.stringMatching(/^At most 2 AI messages and token counts a minute/),
      });
      await expectProblem(await post(path, MESSAGE), 429, 'rate_limited');
      const beyond = await send(key);
      expect([beyond.headers.get('idempotency-replayed'), await beyond.text(), remaining(beyond)]).toEqual([
        'true',
        text,
        0,
      ]);
      const kept = await ai.api.superuser.query('select from idempotency_key where customer_id = $1', [customer.id]);
      expect(kept.rowCount).toBe(1);
    },
  );

  it.each(ROUTES)('may stand on POST %s: so faults of a body with a key come before the limit', async (path) => {
    const { post, customer } = await createAiCaller(ai, { included: 0, purchased: 1000 });
    const key = randomUUID();
    const send = (body: object, idempotencyKey?: string) =>
      post(path, body, { headers: idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey } });
    await send(MESSAGE, key);
    await send(MESSAGE);
    for (const broken of [[], { ...MESSAGE, messages: [] }]) {
      await expectProblem(await send(broken), 429, 'rate_limited');
      await expectProblem(await send(broken, randomUUID()), 400, 'invalid_request');
    }
    await expectProblem(await send({ ...MESSAGE, max_tokens: 49 }, key), 422, 'idempotency_key_reused');
    await expectProblem(await send(MESSAGE, randomUUID()), 429, 'rate_limited');
    // As for the customer whose AI is not enabled, with a key or without one.
    await ai.api.superuser.query('update ai_settings set enabled = false where customer_id = $1', [customer.id]);
    await expectProblem(await send(MESSAGE, randomUUID()), 429, 'rate_limited');
    await expectProblem(await send(MESSAGE), 429, 'rate_limited');
  });
});
