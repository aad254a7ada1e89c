import Current from '@anthropic-ai/sdk';
import { z } from 'zod';
import { type AiApi, createAiCaller, startAiApi } from '@test/ai-api';
import { balancesOf } from '@test/ai.fixture';
import { clientPackage, installClients } from '@test/client-packages';

/** The parts of Vercel's AI SDK that are used. */
interface AiSdk {
  generateText(asked: object): Promise<{ text: string; toolResults: unknown[] }>;
  streamText(asked: Record<string, unknown> & { onError?: (event: { error: unknown }) => void }): {
    textStream: AsyncIterable<string>;
  };
  tool(of: object): unknown;
}
interface AiSdkProvider {
  createAnthropic(of: { baseURL: string; authToken: string }): (model: string) => unknown;
}

const EVERY_MS = 60_000;
const hello = (content = 'Hello'): Current.MessageCreateParamsNonStreaming => ({
  model: 'theirs',
  max_tokens: 50,
  messages: [{ role: 'user', content }],
});

const REJECTED = hello('[[sandbox:status=400]]');

let ai: AiApi;
beforeAll(async () => {
  await installClients();
  ai = await startAiApi();
}, 300_000);
afterAll(() => ai.stop());
afterEach(() => ai.sandbox.reset());

/** Of the same form, as far as it is used. */
const formerSdk = () => (clientPackage('@anthropic-ai/sdk-0') as { default: typeof Current }).default;

/** The SDKs, as their users make them: the former one's own header for the key, too. */
const SDKS = {
  'the current SDK with authToken': (baseURL: string, token: string) =>
    new Current({ baseURL, authToken: token, apiKey: null }),
  'the current SDK with apiKey': (baseURL: string, token: string) => new Current({ baseURL, apiKey: token }),
  'the former SDK with authToken': (baseURL: string, token: string) =>
    new (formerSdk())({ baseURL, authToken: token, apiKey: null }),
  'the former SDK with apiKey': (baseURL: string, token: string) => new (formerSdk())({ baseURL, apiKey: token }),
};

describe.each(Object.entries(SDKS))('With %s', (_, create) => {
  const start = async (purchased = 100) => {
    const caller = await createAiCaller(ai, { included: 0, purchased });
    return { ...caller, client: create(`${ai.api.baseUrl}/ai`, caller.token.token) };
  };
  const spent = async (customerId: string) => (await balancesOf(ai.api.superuser, customerId)).usage;

  it('a message is created, and says which request it was', async () => {
    const { client, customer } = await start();
    const message = await client.messages.create({ ...hello(), system: [{ type: 'text', text: 'Be brief' }] });
    expect(message).toMatchObject({ type: 'message', model: ai.model, stop_reason: 'end_turn' });
    expect(message._request_id).toMatch(/^[\w-]{36}$/);
    expect(await spent(customer.id)).toBeCloseTo(
      (message.usage.input_tokens + 5 * message.usage.output_tokens) / 1000,
      12,
    );
  });

  it('a message is streamed: raw events, the helper, and the beta name space', async () => {
    const { client } = await start();
    const types: string[] = [];
    for await (const event of await client.messages.create({ ...hello(), stream: true })) types.push(event.type);
    expect([types[0], types.at(-1)]).toEqual(['message_start', 'message_stop']);
    const stream = client.messages.stream(hello('Say æøå'));
    let text = '';
    stream.on('text', (piece) => (text += piece));
    const final = await stream.finalMessage();
    expect(final.content).toEqual([{ type: 'text', text }]);
    expect(final.usage.output_tokens).toBeGreaterThan(0);
    const beta = await client.beta.messages
      .stream({ ...hello(), messages: [{ role: 'user', content: 'Hi' }] })
      .finalMessage();
    expect(beta.stop_reason).toBe('end_turn');
  });

  it('a tool is called and its result sent back', async () => {
    const { client } = await start();
    const tools: Current.Tool[] = [{ name: 'weather', input_schema: { type: 'object' } }];
    const question = hello('[[sandbox:tool-use={"name":"weather","input":{"city":"Oslo"}}]]');
    const asked = await client.messages.stream({ ...question, tools }).finalMessage();
    const call = asked.content.find((block) => block.type === 'tool_use');
    expect(call).toMatchObject({ name: 'weather', input: { city: 'Oslo' } });
    const answer = await client.messages.create({
      ...question,
      tools,
      tool_choice: { type: 'auto' },
      messages: [
        ...question.messages,
        { role: 'assistant', content: asked.content },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: call!.id, content: 'Rain' },
            { type: 'text', text: 'So?' },
          ],
        },
      ],
    });
    expect(answer.stop_reason).toBe('end_turn');
    expect(JSON.parse(ai.sandbox.messages.requests.at(-1)!.body.toString())).toMatchObject({
      tools,
      tool_choice: { type: 'auto' },
    });
  });

  it('an answer that cites a document is sent back in the next turn', async () => {
    const { client } = await start();
    const data = 'Oslo is the capital of Norway.';
    const document: Current.DocumentBlockParam = {
      type: 'document',
      source: { type: 'text', media_type: 'text/plain', data },
      citations: { enabled: true },
    };
    const question: Current.MessageParam = { role: 'user', content: [document, { type: 'text', text: 'Which city?' }] };
    const asked = { ...hello(), messages: [question] };
    for (const answer of [await client.messages.create(asked), await client.messages.stream(asked).finalMessage()]) {
      expect(answer.content).toMatchObject([{ citations: [{ cited_text: data }] }]);
      const messages = [question, { role: 'assistant' as const, content: answer.content }, ...hello('And?').messages];
      expect(await client.messages.create({ ...asked, messages })).toMatchObject({ stop_reason: 'end_turn' });
    }
  });

  it('tokens are counted for nothing, and the models are listed', async () => {
    const { client, customer } = await start();
    const { input_tokens } = await client.messages.countTokens({
      model: 'theirs',
      messages: hello().messages,
      system: 'Be brief',
      tools: [{ name: 'weather', input_schema: { type: 'object' } }],
    });
    expect(input_tokens).toBeGreaterThan(5);
    expect(await spent(customer.id)).toBe(0);
    const ids: string[] = [];
    for await (const { id } of client.models.list()) ids.push(id);
    expect(ids).toEqual([ai.model]);
    expect(await client.models.retrieve(ai.model)).toMatchObject({ id: ai.model, type: 'model' });
    await expect(client.models.retrieve('other')).rejects.toMatchObject({ status: 404, type: 'not_found_error' });
  });

  it('errors have their class, type and request id', async () => {
    const { client } = await start();
    const poor = await start(0);
    const { token } = poor.token;
    const stranger = create(`${ai.api.baseUrl}/ai`, token.slice(0, -1) + (token.endsWith('x') ? 'y' : 'x'));
    const failed = (work: Promise<unknown>) =>
      work.then(
        () => undefined,
        (error: unknown) => error,
      );
    for (const [work, name, status, type] of [
      [() => client.messages.create({ ...hello(), messages: [] }), 'BadRequestError', 400, 'invalid_request_error'],
      [() => client.messages.create({ ...hello(), speed: 'fast' }), 'BadRequestError', 400, 'invalid_request_error'],
      [() => stranger.messages.create(hello()), 'AuthenticationError', 401, 'authentication_error'],
      // The former SDK has no class of its own for it.
      [() => poor.client.messages.create(hello()), /^(APIError|PaymentRequiredError)$/, 402, 'billing_error'],
      [() => client.messages.create(REJECTED), 'BadRequestError', 400, 'invalid_request_error'],
      [() => client.messages.stream(REJECTED).finalMessage(), 'BadRequestError', 400, 'invalid_request_error'],
    ] as const) {
      const error = await failed(work());
      expect(error).toMatchObject({ status, type, requestID: expect.stringMatching(/^[\w-]{36}$/) });
      expect((error as Error).constructor.name).toMatch(name);
    }
  });

  it('a beta that is asked for in a header does not reach the provider', async () => {
    const { client } = await start();
    await client.messages.create(hello(), { headers: { 'anthropic-beta': 'context-1m-2025-08-07' } });
    const { headers } = ai.sandbox.messages.requests.at(-1)!;
    expect(headers).toMatchObject({ 'x-api-key': expect.any(String), 'anthropic-version': expect.any(String) });
    expect(headers).not.toHaveProperty('anthropic-beta');
  });

  it('errors of limits, permissions and Idempotency-Keys have their class, and say whether a retry is worth while', async () => {
    const [me, keyed, limited, disabled] = [await start(), await start(), await start(), await start()];
    const once = { maxRetries: 0 };
    const create = (client: Current, key?: string, content?: string) =>
      client.messages.create(hello(content), { ...once, ...(key && { headers: { 'Idempotency-Key': key } }) });
    const { superuser } = ai.api;
    await superuser.query('update ai_settings set enabled = false where customer_id = $1', [disabled.customer.id]);
    await superuser.query('update customer set ai_per_minute = 1 where id = $1', [limited.customer.id]);
    await create(limited.client);
    await create(keyed.client, 'used');
    const gate = ai.sandbox.messages.hold();
    const running = create(me.client, 'running');
    await gate.holding(1);
    for (const [work, name, status, type, retry] of [
      [() => create(disabled.client), 'PermissionDeniedError', 403, 'permission_error', 'false'],
      [() => create(me.client, 'running'), 'ConflictError', 409, 'conflict_error', 'true'],
      [() => create(keyed.client, 'used', 'Other'), 'UnprocessableEntityError', 422, 'invalid_request_error', 'false'],
      [() => create(limited.client), 'RateLimitError', 429, 'rate_limit_error', 'true'],
    ] as const) {
      const error = await work().catch((thrown: unknown) => thrown as InstanceType<typeof Current.APIError>);
      expect(error).toMatchObject({ status, type });
      expect(error.constructor.name).toBe(name);
      expect((error as { headers?: Headers }).headers?.get('x-should-retry')).toBe(retry);
    }
    gate.open();
    // Sent again with its key, the message is the same one, and is not charged again.
    const answer = await running;
    expect(await create(me.client, 'running')).toEqual(answer);
    expect(ai.sandbox.messages.total).toBe(3);
  });

  it(
    'what may succeed is tried again, and charged once; what may not is not',
    async () => {
      const { client, customer } = await start();
      ai.sandbox.messages.script({ status: 529 }, { status: 429, 'retry-after': 1 });
      const message = await client.messages.create(hello());
      expect(ai.sandbox.messages.total).toBe(3);
      expect(await spent(customer.id)).toBeCloseTo(
        (message.usage.input_tokens + 5 * message.usage.output_tokens) / 1000,
        12,
      );
      ai.sandbox.reset();
      await expect(client.messages.create(hello('[[sandbox:status=401]]'))).rejects.toMatchObject({ status: 502 });
      expect(ai.sandbox.messages.total).toBe(1);
    },
    EVERY_MS,
  );

  it('a stream that breaks off is an error', async () => {
    const { client, customer } = await start();
    for (const how of ['stream-cut=4', 'stream-close=4', 'stream-error=overloaded_error']) {
      const reading = (async () => {
        for await (const _event of await client.messages.create({ ...hello(`[[sandbox:${how}]]`), stream: true }));
      })();
      await expect(reading).rejects.toThrow(/not charged/);
    }
    expect(await spent(customer.id)).toBe(0);
  });
});

describe('What the provider answers reaches its SDKs', () => {
  const REASON = /The AI provider rejected the request: /;
  const ask = async (directive: string, maxRetries = 0) => {
    const { token } = await createAiCaller(ai);
    const client = new Current({ baseURL: `${ai.api.baseUrl}/ai`, authToken: token.token, apiKey: null, maxRetries });
    return client.messages.create(hello(`[[sandbox:${directive}]]`)).then(
      () => undefined,
      (error: unknown) => error as InstanceType<typeof Current.APIError>,
    );
  };

  it.each([
    ['status=400', 400, 'invalid_request_error', REASON, 'false'],
    ['status=413', 413, 'request_too_large', /rejected the request/, 'false'],
    ['status=529', 529, 'overloaded_error', /failed\. You were not charged/, 'true'],
    // It is the operator's limit.
    ['status=429', 529, 'overloaded_error', /You were not charged/, 'true'],
    ['spend-limit', 529, 'overloaded_error', /You were not charged/, 'true'],
    ['low-balance', 502, 'api_error', /^The AI provider rejected the request\. You were not charged$/, 'false'],
    ['usage-limit', 502, 'api_error', /^The AI provider rejected the request\. You were not charged$/, 'false'],
    ['status=401', 502, 'api_error', /You were not charged/, 'false'],
    ['status=402', 502, 'api_error', /You were not charged/, 'false'],
    ['status=403', 502, 'api_error', /You were not charged/, 'false'],
    ['status=404', 502, 'api_error', /You were not charged/, 'false'],
    ['status=408', 502, 'api_error', /failed\. You were not charged/, 'true'],
    ['status=409', 502, 'api_error', /failed\. You were not charged/, 'true'],
    ['status=500', 502, 'api_error', /You were not charged/, 'true'],
    ['status=504', 502, 'api_error', /You were not charged/, 'true'],
  ])('%s as %i %s', async (directive, status, type, message, retry) => {
    const error = await ask(directive);
    expect(error).toMatchObject({ status, type, apiMessage: expect.stringMatching(message) });
    expect(error?.headers?.get('x-should-retry')).toBe(retry);
    expect(error?.error).toMatchObject({
      type: 'error',
      error: {
        type,
        message: error?.apiMessage,
        documentation_url: expect.stringMatching(/^\/docs\/errors#ai_upstream_/),
      },
      status,
      detail: error?.apiMessage,
      request_id: error?.requestID,
    });
  });

  it('with the time that the provider asks for', async () => {
    ai.sandbox.messages.script({ status: 429, 'retry-after': 7 });
    expect((await ask('delay=0'))?.headers?.get('retry-after')).toBe('7');
  });

  it('as 502 to a caller of the interface that is not for SDKs', async () => {
    const { post } = await createAiCaller(ai);
    for (const status of [400, 413, 429, 529]) {
      const reply = await post('/ai/messages', hello(`[[sandbox:status=${status}]]`));
      expect([reply.status, reply.headers.get('content-type')]).toEqual([
        502,
        'application/problem+json; charset=utf-8',
      ]);
    }
  });

  it('and a refusal about the model, which the operator has set, does not', async () => {
    const body = JSON.stringify({
      type: 'error',
      error: { type: 'invalid_request_error', message: 'model: x was retired' },
    });
    ai.sandbox.messages.script({ reply: { status: 400, body, headers: { 'content-type': 'application/json' } } });
    expect(await ask('delay=0')).toMatchObject({ status: 502, apiMessage: expect.not.stringContaining('retired') });
  });

  it('and its own code, which decides the class of the error', async () => {
    const error = {
      type: 'invalid_request_error',
      message: 'No',
      details: { error_code: 'tool_name_conflict', secret: 'x' },
    };
    const body = JSON.stringify({ type: 'error', error });
    ai.sandbox.messages.script({ reply: { status: 400, body, headers: { 'content-type': 'application/json' } } });
    const thrown = await ask('delay=0');
    expect(thrown).toMatchObject({ errorCode: 'tool_name_conflict', details: { error_code: 'tool_name_conflict' } });
    expect(thrown?.constructor.name).toBe('ToolNameConflictError');
  });

  it('so that its tool runner does without a thread', async () => {
    const { token } = await createAiCaller(ai, { included: 100 });
    const client = new Current({ baseURL: `${ai.api.baseUrl}/ai`, authToken: token.token, apiKey: null });
    const cities: unknown[] = [];
    ai.sandbox.messages.script({ 'tool-use': { name: 'weather', input: { city: 'Oslo' } } }, { 'output-tokens': 3 });
    const final = await client.beta.messages.toolRunner({
      ...hello('Which weather?'),
      messages: [{ role: 'user', content: 'Which weather?' }],
      tools: [
        {
          type: 'custom',
          name: 'weather',
          input_schema: { type: 'object', properties: { city: { type: 'string' } } },
          parse: (input: unknown) => input as { city: string },
          run: ({ city }: { city: string }) => {
            cities.push(city);
            return 'Rain';
          },
        },
      ],
    });
    expect([final.stop_reason, cities]).toEqual(['end_turn', ['Oslo']]);
    expect(ai.sandbox.messages.total).toBe(2);
  });
});

describe('With the Vercel AI SDK', () => {
  let sdk: AiSdk & AiSdkProvider;
  beforeAll(() => {
    const [core, provider] = [clientPackage('ai') as AiSdk, clientPackage('@ai-sdk/anthropic') as AiSdkProvider];
    sdk = { ...core, ...provider };
  });

  it.each([
    ['no credit', {}, 'Hello', 402, 'Your AI credit does not cover this message'],
    [
      'a refusal of the provider',
      { included: 5 },
      '[[sandbox:status=400]]',
      400,
      'The AI provider rejected the request: ',
    ],
    ['an overload', { included: 5 }, '[[sandbox:status=529]]', 529, 'The AI provider failed. You were not charged'],
    ['AI disabled', { enabled: false }, 'Hello', 403, 'AI is not enabled for you; ask the operator'],
  ])('an error has our text: %s', async (_, settings, prompt, statusCode, text) => {
    const { token } = await createAiCaller(ai, { included: 0, ...settings });
    const provider = sdk.createAnthropic({ baseURL: `${ai.api.baseUrl}/ai/v1`, authToken: token.token });
    const asked = { model: provider('theirs'), prompt, maxOutputTokens: 50, maxRetries: 0 };
    await expect(sdk.generateText(asked)).rejects.toMatchObject({ statusCode, message: expect.stringContaining(text) });
    let shown: unknown;
    const { textStream } = sdk.streamText({ ...asked, onError: ({ error }) => (shown = error) });
    for await (const _piece of textStream);
    expect(shown).toMatchObject({ statusCode, message: expect.stringContaining(text) });
  });

  it.each(['/ai', '/ai/v1'])('text is generated and streamed below %s', async (path) => {
    const { token, customer } = await createAiCaller(ai);
    const provider = sdk.createAnthropic({ baseURL: `${ai.api.baseUrl}${path}`, authToken: token.token });
    const whole = await sdk.generateText({
      model: provider('theirs'),
      instructions: 'Be brief',
      prompt: 'Hello',
      maxOutputTokens: 50,
    });
    expect(whole.text).not.toBe('');
    const stream = sdk.streamText({
      model: provider('theirs'),
      instructions: 'Be brief',
      prompt: 'Hello',
      maxOutputTokens: 50,
    });
    let text = '';
    for await (const piece of stream.textStream) text += piece;
    expect(text).toBe(whole.text);
    expect((await balancesOf(ai.api.superuser, customer.id)).usage).toBeGreaterThan(0);
  });

  it('tools are called below /ai/v1; below /ai they are refused with the address that takes them', async () => {
    const { token } = await createAiCaller(ai, { included: 100 });
    const tools = { weather: sdk.tool({ inputSchema: z.object({ city: z.string() }), execute: () => 'Rain' }) };
    const prompt = '[[sandbox:tool-use={"name":"weather","input":{"city":"Oslo"}}]]';
    const ask = (path: string) => {
      const provider = sdk.createAnthropic({ baseURL: `${ai.api.baseUrl}${path}`, authToken: token.token });
      return sdk.generateText({ model: provider('theirs'), prompt, tools, maxOutputTokens: 50 });
    };
    expect((await ask('/ai/v1')).toolResults).toMatchObject([{ toolName: 'weather', output: 'Rain' }]);
    await expect(ask('/ai')).rejects.toMatchObject({
      statusCode: 400,
      responseBody: expect.stringContaining('/ai/v1/messages'),
    });
  });
});
