import type Anthropic from '@anthropic-ai/sdk';
import { CallsInFlightService, TokenCountsService } from '@domains/ai';
import type { ListEntry } from '@platform/collections';
import { ClientGoneError } from '@platform/context';
import { type AiApi, createAiCaller, startAiApi } from '@test/ai-api';
import { enableAi } from '@test/ai-factories';
import { balancesOf } from '@test/ai.fixture';
import { expectProblem } from '@test/expect-problem';
import { operatorCommand } from '@test/operator-command';
import { describeAuthentication } from '@test/suites/authentication.suite';
import { describeValidation } from '@test/suites/validation.suite';

const body = { messages: [{ role: 'user', content: 'Hello' }], max_tokens: 10 };
const POST = { method: 'POST', path: '/ai/messages', body } as const;

let fixture: AiApi;
// 32 MB go to the provider in this process, beside other specs.
beforeAll(async () => (fixture = await startAiApi({ AI_UPSTREAM_TIMEOUT_MS: '30000' })));
afterAll(() => fixture.stop());
beforeEach(() => fixture.sandbox.reset());

const send = ({ post }: Awaited<ReturnType<typeof createAiCaller>>, more: object = {}) =>
  post('/ai/messages', { ...body, ...more });

describe('POST /ai/messages', () => {
  describeAuthentication(() => fixture.api, { ...POST, otherwise: [403, 'ai_disabled'] }, 'ai:use');

  const prepare = (customerId: string) =>
    enableAi(fixture.api.superuser, customerId, { model: fixture.model, included: 500 });
  const text = { type: 'text', text: 'Hello' };
  describeValidation(
    () => fixture.api,
    POST,
    'messages',
    {
      accepted: [
        ['a text', [{ role: 'user', content: 'Hi' }]],
        ['blocks', [{ role: 'user', content: [text, text] }]],
        [
          'turns',
          [
            { role: 'user', content: 'Hi' },
            { role: 'assistant', content: 'Hello' },
            { role: 'user', content: 'How are you?' },
          ],
        ],
      ],
      refused: [
        ['a missing field', undefined],
        ['null', null],
        ['a text', 'Hello'],
        ['an object', {}],
        ['none', []],
        ['a message that is a text', ['Hello']],
        ['an unknown role', [{ role: 'robot', content: 'Hi' }]],
        ['no role', [{ content: 'Hi' }]],
        ['no content', [{ role: 'user' }]],
        ['empty content', [{ role: 'user', content: '' }]],
        ['no blocks', [{ role: 'user', content: [] }]],
        ['a block without a type', [{ role: 'user', content: [{}] }]],
        [
          'a file of the workspace',
          [{ role: 'user', content: [{ type: 'document', source: { type: 'file', file_id: 'x' } }] }],
        ],
      ],
    },
    prepare,
  );
  describeValidation(
    () => fixture.api,
    POST,
    'system',
    {
      accepted: [
        ['a text', 'Be brief'],
        ['text blocks', [text]],
        ['a missing field', undefined],
        ['null', null],
      ],
      refused: [
        ['a number', 5],
        ['other blocks', [{ type: 'image', source: {} }]],
      ],
    },
    prepare,
  );
  describeValidation(
    () => fixture.api,
    POST,
    'max_tokens',
    {
      accepted: [
        ['1', 1],
        ['a missing field', undefined],
        ['more than any model gives', 10_000_000],
      ],
      refused: [
        ['0', 0],
        ['a negative number', -1],
        ['decimals', 1.5],
        ['a text', '10'],
        ['null', null],
        ['a list', [1]],
      ],
    },
    prepare,
  );

  it("answers 201 with the model's answer, in the shape of the Messages API", async () => {
    const caller = await createAiCaller(fixture);
    const reply = await send(caller);
    expect(reply.status).toBe(201);
    expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8');
    // The official SDK's type: compiling is the test.
    const message = (await reply.json()) as Anthropic.Message;
    const usage: Anthropic.Usage = message.usage;
    expect(message).toMatchObject({ type: 'message', role: 'assistant', model: fixture.model });
    expect(usage.output_tokens).toBeGreaterThan(0);
  });

  it('ignores a model, no tools and a customer identifier in the body', async () => {
    const caller = await createAiCaller(fixture);
    const other = await createAiCaller(fixture);
    const reply = await send(caller, {
      model: 'theirs',
      stream: false,
      tools: [],
      temperature: 9,
      customer_id: other.customer.id,
    });
    expect(reply.status).toBe(201);
    expect(JSON.parse(fixture.sandbox.messages.requests[0]!.body.toString())).toEqual({
      ...body,
      model: fixture.model,
    });
    expect((await balancesOf(fixture.api.superuser, other.customer.id)).usage).toBe(0);
  });

  it('takes 32 MB and refuses more', async () => {
    const caller = await createAiCaller(fixture, { included: 1_000_000 });
    const limit = 32 * 1024 * 1024;
    const around = Buffer.from('{"messages":[{"role":"user","content":""}],"max_tokens":1}');
    const filled = (size: number) =>
      Buffer.concat([around.subarray(0, 39), Buffer.alloc(size - around.length, 'a'), around.subarray(39)]);
    expect((await caller.post('/ai/messages', filled(limit))).status).toBe(201);
    await expectProblem(await caller.post('/ai/messages', filled(limit + 1)), 413, 'payload_too_large');
  });

  it('refuses what is not JSON, or not UTF-8', async () => {
    const caller = await createAiCaller(fixture);
    await expectProblem(await caller.post('/ai/messages', '{"messages":'), 400, 'invalid_request');
    const broken = Buffer.from(JSON.stringify(body).replace('Hello', 'H\u00ffllo'), 'latin1');
    await expectProblem(await caller.post('/ai/messages', broken), 400, 'invalid_request');
    expect(fixture.sandbox.messages.total).toBe(0);
  });

  it.each(['/ai/messages', '/ai/v1/messages', '/ai/v1/messages/count_tokens'])(
    'says 400 at %s to a body that is JSON and no object, such as one that was encoded twice',
    async (path) => {
      const caller = await createAiCaller(fixture);
      for (const wrong of [JSON.stringify(body), 'x', true, null, 1, [body]]) {
        const { detail } = await expectProblem(await caller.post(path, JSON.stringify(wrong)), 400, 'invalid_request');
        expect([wrong, detail]).toEqual([wrong, 'The body must be a JSON object']);
      }
    },
  );

  it("uses the customer's own key, which opens for no other customer", async () => {
    const [owner, thief] = [await createAiCaller(fixture), await createAiCaller(fixture)];
    const { code } = await operatorCommand(
      fixture.api.database,
      ['ai', 'configure', '--customer', owner.customer.id, '--key-stdin'],
      { input: 'sk-of-the-owner\n', environment: { SECRETS_KEY: fixture.api.database.config.SECRETS_KEY ?? '' } },
    );
    expect(code).toBe(0);
    const { rows } = await fixture.api.superuser.query<{ key: Buffer }>(
      'select key_ciphertext as key from ai_settings where customer_id = $1',
      [owner.customer.id],
    );
    await fixture.api.superuser.query('update ai_settings set key_ciphertext = $1 where customer_id = $2', [
      rows[0]!.key,
      thief.customer.id,
    ]);
    expect((await send(owner)).status).toBe(201);
    await expectProblem(await send(thief), 403, 'ai_not_configured');
    expect(fixture.sandbox.messages.requests.map(({ headers }) => headers['x-api-key'])).toEqual(['sk-of-the-owner']);
  });

  it('says 403 where AI is not enabled, or has no model or key', async () => {
    await expectProblem(await send(await createAiCaller(fixture, { enabled: false })), 403, 'ai_disabled');
    await expectProblem(await send(await createAiCaller(fixture, { model: 'unheard-of' })), 403, 'ai_not_configured');
    const unreadable = await createAiCaller(fixture, { keyCiphertext: Buffer.alloc(40, 1) });
    await expectProblem(await send(unreadable), 403, 'ai_not_configured');
    expect(await balancesOf(fixture.api.superuser, unreadable.customer.id)).toMatchObject({ reserved: 0, usage: 0 });
  });

  it('says 403 where AI is not enabled before it looks at the body, and before 402', async () => {
    const disabled = await createAiCaller(fixture, { enabled: false, included: 0 });
    for (const wrong of [{ ...body, max_tokens: 0 }, 'not JSON', Buffer.alloc(33 * 1024 * 1024, 'a')])
      await expectProblem(await disabled.post('/ai/messages', wrong), 403, 'ai_disabled');
    const text = await disabled.call('/ai/messages', { method: 'POST', body: 'text' });
    await expectProblem(text, 403, 'ai_disabled');
  });

  it('says 400 before 403 for a missing model or key, and before 402', async () => {
    const unconfigured = await createAiCaller(fixture, { model: 'unheard-of', included: 0 });
    await expectProblem(await send(unconfigured, { max_tokens: 0 }), 400, 'invalid_request');
    await expectProblem(await send(unconfigured), 403, 'ai_not_configured');
  });

  it('says 402 when the credit is used up', async () => {
    const caller = await createAiCaller(fixture, { included: 2 });
    const reservation = { messages: [{ role: 'user', content: 'x' }], max_tokens: 200 };
    fixture.sandbox.messages.always({ usage: '{"input_tokens":5,"output_tokens":200}' });
    expect((await send(caller, reservation)).status).toBe(201);
    const reply = await send(caller, reservation);
    const { detail } = await expectProblem(reply, 402, 'credit_exhausted');
    expect(detail).toContain('POST /ai/credit-requests');
    expect(detail).not.toContain('budget_tokens');
    expect(reply.headers.get('retry-after')).toBeNull();
  });

  it('says 402 with Retry-After when messages in progress have reserved the credit, and shows what they have', async () => {
    const caller = await createAiCaller(fixture, { included: 2 });
    const reservation = { messages: [{ role: 'user', content: 'x' }], max_tokens: 300 };
    const gate = fixture.sandbox.messages.hold();
    const first = send(caller, reservation);
    await fixture.sandbox.messages.received(1);
    const reply = await send(caller, reservation);
    const { detail } = await expectProblem(reply, 402, 'credit_exhausted');
    expect(detail).toContain('in progress');
    expect(reply.headers.get('retry-after')).toBe('5');
    const { reserved } = await balancesOf(fixture.api.superuser, caller.customer.id);
    expect(reserved).toBeGreaterThan(1.5);
    expect(await (await caller.call('/ai')).json()).toMatchObject({
      ai: { reserved_credit: reserved, total_available_credit: 2, current_month_limit: 2 },
    });
    gate.open();
    expect((await first).status).toBe(201);
    expect((await send(caller, reservation)).status).toBe(201);
  });

  it('says 402 when the credit buys no answer behind the thinking, and 400 when max_tokens leaves none', async () => {
    const think = async (budget_tokens: number, max_tokens = 4000) => {
      const caller = await createAiCaller(fixture, { included: 5 });
      const reply = await caller.post('/ai/v1/messages', {
        ...{ ...body, max_tokens, thinking: { type: 'enabled', budget_tokens } },
      });
      const { code, detail } = (await reply.json()) as { code?: string; detail?: string };
      return [reply.status, code, ...(reply.status === 402 ? [detail?.includes('smaller budget_tokens')] : [])];
    };
    expect(await think(2000, 2000)).toEqual([400, 'invalid_request']);
    // 5 NOK buy less than 1,000 tokens.
    expect(await think(1000)).toEqual([402, 'credit_exhausted', true]);
    expect(fixture.sandbox.messages.total).toBe(0);
    expect(await think(900)).toEqual([200, undefined]);
    const { max_tokens: most } = JSON.parse(String(fixture.sandbox.messages.requests[0]?.body)) as {
      max_tokens: number;
    };
    expect(most > 900 && most < 1000).toBe(true);
    // One token is for the answer.
    expect(await think(most)).toEqual([402, 'credit_exhausted', true]);
    expect(await think(most - 1)).toEqual([200, undefined]);
  });

  it("says 402 and does not advise to buy when the operator's limit on all credit is reached", async () => {
    const caller = await createAiCaller(fixture, { included: 5, purchased: 5 });
    await fixture.api.superuser.query('update ai_settings set total_limit = 0.1 where customer_id = $1', [
      caller.customer.id,
    ]);
    const { detail } = await expectProblem(await send(caller), 402, 'credit_exhausted');
    expect(detail).toContain('would exceed the operator');
    expect(detail).not.toContain('credit-requests');
    expect(await (await caller.call('/ai')).json()).toMatchObject({ ai: { current_month_limit: 0.1 } });
  });

  it.each([
    [{ status: 401 }, 'ai_upstream_rejected'],
    [{ status: 402 }, 'ai_upstream_rejected'],
    [{ status: 429 }, 'ai_upstream_failed'],
    [{ 'spend-limit': true }, 'ai_upstream_failed'],
    [{ status: 529 }, 'ai_upstream_failed'],
    [{ cut: true }, 'ai_upstream_failed'],
  ] as const)('says 502 when the provider answers %j', async (directives, code) => {
    const caller = await createAiCaller(fixture);
    fixture.sandbox.messages.always(directives);
    await expectProblem(await send(caller), 502, code);
    expect(await balancesOf(fixture.api.superuser, caller.customer.id)).toMatchObject({ included: 5, reserved: 0 });
  });

  it("never shows the operator's key", async () => {
    const caller = await createAiCaller(fixture);
    const statuses = [400, 401, 403, 500];
    for (const status of statuses) {
      fixture.sandbox.messages.script({
        reply: {
          status,
          body: {
            type: 'error',
            error: { type: 'authentication_error', message: 'invalid x-api-key: sk-service-wide-key' },
          },
        },
      });
      const reply = await send(caller);
      expect(reply.status).toBe(502);
      expect(await reply.text()).not.toContain('sk-service');
    }
    // The provider received this key, and its reply repeats it.
    expect(fixture.sandbox.messages.requests.map(({ headers }) => headers['x-api-key'])).toEqual(
      statuses.map(() => 'sk-service-wide-key'),
    );
  });

  it('charges a client that disconnected', async () => {
    const caller = await createAiCaller(fixture);
    const gate = fixture.sandbox.messages.hold();
    const controller = new AbortController();
    const reply = caller.post('/ai/messages', body, { signal: controller.signal }).catch((error: unknown) => error);
    await fixture.sandbox.messages.received(1);
    controller.abort();
    await reply;
    gate.open();
    await fixture.api.app.get(CallsInFlightService).drain(5_000);
    const balances = await balancesOf(fixture.api.superuser, caller.customer.id);
    expect(balances.usage).toBeGreaterThan(0);
    expect(balances.reserved).toBe(0);
  });
});

describe('POST /ai/v1/messages/count_tokens', () => {
  it('ends the call of the provider with its client', async () => {
    const count = jest.spyOn(TokenCountsService.prototype, 'count');
    const begin = jest.spyOn(CallsInFlightService.prototype, 'begin');
    const { post } = await createAiCaller(fixture);
    const gate = fixture.sandbox.countTokens.hold();
    const controller = new AbortController();
    const { messages } = body;
    const reply = post('/ai/v1/messages/count_tokens', { model: 'any', messages }, { signal: controller.signal });
    const failed = expect(reply).rejects.toMatchObject({ name: 'AbortError' });
    await fixture.sandbox.countTokens.received(1);
    controller.abort();
    await failed;
    // The provider has not answered.
    await expect(count.mock.results[0]?.value).rejects.toThrow(ClientGoneError);
    gate.open();
    // Nothing of the call is kept.
    expect(begin.mock.results.map(({ value }) => (value as ListEntry<unknown>).remove())).toEqual([false]);
    count.mockRestore();
    begin.mockRestore();
  });
});

describe('GET /ai/v1/models', () => {
  it('lists the model that answers, and none while AI is not enabled or the model has no price yet', async () => {
    const { call, customer } = await createAiCaller(fixture);
    const { superuser } = fixture.api;
    const toCome = `${fixture.model}-to-come`;
    await superuser.query(
      `insert into ai_model_price (model, valid_from, input, cache_write_5m, cache_write_1h, cache_read, output)
       values ($1, '2999-01-01', 1, 1, 1, 1, 1)`,
      [toCome],
    );
    const listed = async (enabled: boolean, model: string) => {
      await superuser.query('update ai_settings set enabled = $2, model = $3 where customer_id = $1', [
        ...[customer.id, enabled, model],
      ]);
      const { data } = (await (await call('/ai/v1/models')).json()) as { data: { id: string }[] };
      return [data.map(({ id }) => id), (await call(`/ai/v1/models/${model}`)).status];
    };
    expect(await listed(true, fixture.model)).toEqual([[fixture.model], 200]);
    expect(await listed(false, fixture.model)).toEqual([[], 404]);
    expect(await listed(true, toCome)).toEqual([[], 404]);
  });

  it('has nothing behind or before the one model: a program that asks for more until nothing comes reaches the end', async () => {
    const { call } = await createAiCaller(fixture);
    for (const name of ['after_id', 'before_id']) {
      const page = await (await call(`/ai/v1/models?limit=1&${name}=${fixture.model}`)).json();
      expect(page).toEqual({ data: [], has_more: false, first_id: null, last_id: null });
    }
    // Of a former model nothing is known.
    expect(await (await call('/ai/v1/models?after_id=former')).json()).toMatchObject({ data: [{ id: fixture.model }] });
  });
});

describe('without a service-wide key', () => {
  let keyless: AiApi;
  beforeAll(async () => (keyless = await startAiApi({ ANTHROPIC_API_KEY: '' })));
  afterAll(() => keyless.stop());

  it.each(['/ai/messages', '/ai/v1/messages', '/ai/v1/messages/count_tokens'])(
    'POST %s says 403 to a customer without a key, and nothing is sent to the provider',
    async (path) => {
      const { post } = await createAiCaller(keyless);
      await expectProblem(await post(path, { messages: body.messages }), 403, 'ai_not_configured');
      expect(keyless.sandbox.messages.total + keyless.sandbox.countTokens.total).toBe(0);
    },
  );

  it('GET /ai/v1/models lists no model for a customer without a key', async () => {
    const { call } = await createAiCaller(keyless);
    expect(await (await call('/ai/v1/models')).json()).toMatchObject({ data: [] });
  });
});
