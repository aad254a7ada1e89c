import Anthropic from '@anthropic-ai/sdk';
import { type Sandbox, startSandbox } from '../sandbox';

describe('the Messages API stand-in', () => {
  let sandbox: Sandbox;
  let client: Anthropic;

  beforeAll(async () => {
    sandbox = await startSandbox();
    client = new Anthropic({ baseURL: sandbox.urls.messages, apiKey: 'sk-test', maxRetries: 0 });
  });
  afterEach(() => sandbox.reset());
  afterAll(() => sandbox.close());

  const ask = (text: string, maxTokens = 1000) =>
    client.messages.create({
      model: 'claude-test',
      max_tokens: maxTokens,
      messages: [{ role: 'user', content: text }],
    });
  const post = (body: unknown, headers: Record<string, string> = {}) =>
    fetch(`${sandbox.urls.messages}/v1/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': 'k', 'anthropic-version': '2023-06-01', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const plain = { model: 'm', max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }] };

  it('lists models, page by page', async () => {
    const { data, has_more: hasMore } = await client.models.list({ limit: 1 });
    expect(data).toEqual([expect.objectContaining({ type: 'model', id: expect.stringMatching(/^claude-/) })]);
    expect(hasMore).toBe(true);
    const models: string[] = [];
    for await (const { id } of client.models.list({ limit: 1 })) models.push(id);
    expect(models).toEqual(['claude-opus-5', 'claude-haiku-4-5']);
    await expect(client.models.list({ limit: 0 })).rejects.toMatchObject({ status: 400 });
    const stranger = new Anthropic({ baseURL: sandbox.urls.messages, apiKey: 'sandbox-invalid', maxRetries: 0 });
    await expect(stranger.models.list()).rejects.toMatchObject({ status: 401 });
  });

  describe('a reply', () => {
    it('satisfies the official SDK and echoes the last user text', async () => {
      const message = await ask('Hello there');

      expect(message).toMatchObject({
        type: 'message',
        role: 'assistant',
        model: 'claude-test',
        stop_reason: 'end_turn',
      });
      expect(message.content).toEqual([
        expect.objectContaining({ type: 'text', text: expect.stringContaining('Hello there') }),
      ]);
      expect(message._request_id).toMatch(/^req_/);
    });

    it('is the same for the same request, but for its ids', async () => {
      const [first, second] = await Promise.all([ask('Same words'), ask('Same words')]);

      expect({ ...first, id: '', _request_id: '' }).toEqual({ ...second, id: '', _request_id: '' });
      expect(first.id).not.toBe(second.id);
      expect(first._request_id).not.toBe(second._request_id);
    });

    it.each([1, 13, 14, 15, 16, 17])(
      'stops at %i max_tokens, also inside a text of wide characters',
      async (maxTokens) => {
        const message = await ask('ææ€€😀😀'.repeat(20), maxTokens);

        expect(message.stop_reason).toBe('max_tokens');
        expect(message.usage.output_tokens).toBe(maxTokens);
        const [block] = message.content;
        expect(block?.type === 'text' && Math.ceil(Buffer.byteLength(block.text) / 4)).toBe(maxTokens);
        expect(block?.type === 'text' && block.text).not.toContain('\ufffd');
      },
    );

    it('has as many output tokens as asked for', async () => {
      expect((await ask('[[sandbox:output-tokens=123]]')).usage.output_tokens).toBe(123);
      expect(await ask('[[sandbox:output-tokens=123]]', 100)).toMatchObject({
        stop_reason: 'max_tokens',
        usage: { output_tokens: 100 },
      });
    });

    it('has the usage asked for, field by field', async () => {
      const { usage } = await ask('[[sandbox:usage={"input_tokens":7,"cache_creation":null}]] and more');

      expect(usage).toMatchObject({ input_tokens: 7, cache_creation: null, cache_read_input_tokens: 0 });
    });

    it('may be a refusal, which is billed', async () => {
      const message = await ask('[[sandbox:refusal]]');

      expect(message).toMatchObject({ stop_reason: 'refusal', stop_details: { type: 'refusal' }, content: [] });
      expect(message.usage.output_tokens).toBeGreaterThan(0);
    });

    it('stops for the reason asked for', async () => {
      expect((await ask('[[sandbox:stop-reason=pause_turn]]')).stop_reason).toBe('pause_turn');
    });
  });

  describe('usage', () => {
    const prompt = (second: object) => ({
      ...plain,
      system: [{ type: 'text', text: 'x'.repeat(400), cache_control: { type: 'ephemeral', ttl: '1h' } }],
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'y'.repeat(200), ...second },
            { type: 'text', text: 'z'.repeat(40) },
          ],
        },
      ],
    });
    const usage = async (body: object) => ((await (await post(body)).json()) as Anthropic.Message).usage;

    it('splits the prompt at its cache breakpoints', async () => {
      expect(await usage(prompt({ cache_control: { type: 'ephemeral' } }))).toMatchObject({
        input_tokens: 10,
        cache_creation_input_tokens: 150,
        cache_read_input_tokens: 0,
        cache_creation: { ephemeral_1h_input_tokens: 100, ephemeral_5m_input_tokens: 50 },
      });
      expect(await usage(prompt({}))).toMatchObject({ input_tokens: 60, cache_creation_input_tokens: 100 });
    });

    it('caches everything on a breakpoint of the whole request', async () => {
      expect(await usage({ ...prompt({}), cache_control: { type: 'ephemeral' } })).toMatchObject({
        input_tokens: 0,
        cache_creation: { ephemeral_1h_input_tokens: 100, ephemeral_5m_input_tokens: 60 },
      });
    });

    it('reads from the cache when asked to', async () => {
      const body = prompt({ cache_control: { type: 'ephemeral' } });
      sandbox.messages.script({ cache: 'read' });

      expect(await usage(body)).toMatchObject({
        input_tokens: 10,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 150,
        cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: 0 },
      });
    });

    it('adds up to the result of count_tokens', async () => {
      const body = prompt({ cache_control: { type: 'ephemeral' } }) as Anthropic.MessageCreateParamsNonStreaming;
      const { max_tokens: _, ...countable } = body;

      expect(await client.messages.countTokens(countable)).toMatchObject({ input_tokens: 160 });
    });
  });

  describe('an error', () => {
    it.each([
      [400, 'invalid_request_error'],
      [401, 'authentication_error'],
      [402, 'billing_error'],
      [403, 'permission_error'],
      [404, 'not_found_error'],
      [409, 'conflict_error'],
      [429, 'rate_limit_error'],
      [500, 'api_error'],
      [503, 'api_error'],
      [504, 'timeout_error'],
      [529, 'overloaded_error'],
    ])('%i is a %s', async (status, type) => {
      const error = await ask(`[[sandbox:status=${status}]] Hello`).catch(
        (caught: unknown) => caught as InstanceType<typeof Anthropic.APIError>,
      );

      expect(error).toBeInstanceOf(Anthropic.APIError);
      expect(error).toMatchObject({
        status,
        type,
        error: { type: 'error', request_id: expect.stringMatching(/^req_/) },
      });
    });

    it('413 is plain text', async () => {
      const response = await post({ ...plain, messages: [{ role: 'user', content: '[[sandbox:status=413]]' }] });

      expect(response.status).toBe(413);
      expect(response.headers.get('content-type')).toContain('text/plain');
    });

    it('429 has Retry-After', async () => {
      const response = await post({
        ...plain,
        messages: [{ role: 'user', content: '[[sandbox:status=429]][[sandbox:retry-after=7]]' }],
      });

      expect(response.headers.get('retry-after')).toBe('7');
      expect(response.headers.get('anthropic-ratelimit-requests-remaining')).toBe('0');
    });

    it('of a spend limit is a 429 without Retry-After', async () => {
      const response = await post({ ...plain, messages: [{ role: 'user', content: '[[sandbox:spend-limit]]' }] });

      expect(response.status).toBe(429);
      expect(response.headers.get('retry-after')).toBeNull();
    });

    it.each([
      ['exhausted prepaid credit', 'low-balance', /credit balance is too low/],
      ["a limit of the account's owner", 'usage-limit', /reached your specified API usage limits/],
    ])('of %s is a 400', async (_, directive, message) => {
      const error = await ask(`[[sandbox:${directive}]]`).catch((caught: unknown) => caught);

      expect(error).toMatchObject({
        status: 400,
        type: 'invalid_request_error',
        message: expect.stringMatching(message),
      });
    });

    it('refuses every other key than the one asked for', async () => {
      const content = '[[sandbox:api-key=sk-other]]';

      expect((await post({ ...plain, messages: [{ role: 'user', content }] })).status).toBe(401);
      expect(
        (await post({ ...plain, messages: [{ role: 'user', content }] }, { 'x-api-key': 'sk-other' })).status,
      ).toBe(200);
    });

    it('reports an unknown directive', async () => {
      await expect(ask('[[sandbox:statsu=500]]')).rejects.toMatchObject({
        status: 400,
        message: expect.stringContaining('statsu'),
      });
      await expect(ask('[[sandbox:delay=soon]]')).rejects.toMatchObject({
        status: 400,
        message: expect.stringContaining('delay'),
      });
      expect(() => sandbox.messages.script({ statsu: 500 })).toThrow('statsu');
    });

    it.each([
      ['without a key', { 'x-api-key': '' }, 401, 'authentication_error'],
      ['with an invalid key', { 'x-api-key': 'sk-sandbox-invalid' }, 401, 'authentication_error'],
      ['with a forbidden key', { 'x-api-key': 'sk-sandbox-forbidden' }, 403, 'permission_error'],
      ['with a strange version', { 'anthropic-version': '2024-01-01' }, 400, 'invalid_request_error'],
    ])('meets a request %s', async (_name, headers, status, type) => {
      const response = await post(plain, headers);

      expect(response.status).toBe(status);
      expect(await response.json()).toMatchObject({ type: 'error', error: { type } });
    });

    it('meets a request without a version', async () => {
      const response = await fetch(`${sandbox.urls.messages}/v1/messages`, {
        method: 'POST',
        headers: { 'x-api-key': 'k' },
        body: '{}',
      });

      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ error: { message: expect.stringContaining('anthropic-version') } });
    });

    const text = (block: object) => ({
      ...plain,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi', ...block }] }],
    });
    const marked = { cache_control: { type: 'ephemeral' } };
    it.each<[string, unknown, RegExp]>([
      ['not JSON', '{"model":', /JSON/],
      ['a list', '[]', /JSON object/],
      ['no model', { ...plain, model: undefined }, /^model/],
      ['no max_tokens', { ...plain, max_tokens: undefined }, /^max_tokens: Field required/],
      ['max_tokens 0', { ...plain, max_tokens: 0 }, /^max_tokens/],
      ['max_tokens 1.5', { ...plain, max_tokens: 1.5 }, /^max_tokens/],
      ['no messages', { ...plain, messages: undefined }, /^messages/],
      ['empty messages', { ...plain, messages: [] }, /^messages/],
      ['an unknown role', { ...plain, messages: [{ role: 'tool', content: 'Hi' }] }, /^messages\.0\.role/],
      ['an assistant who begins', { ...plain, messages: [{ role: 'assistant', content: 'Hi' }] }, /first message/],
      ['empty content', { ...plain, messages: [{ role: 'user', content: '' }] }, /^messages\.0\.content/],
      ['empty text', text({ text: '' }), /^messages\.0\.content\.0\.text/],
      ['an unknown block', text({ type: 'poem' }), /^messages\.0\.content\.0\.type/],
      ['a bad cache lifetime', text({ cache_control: { type: 'ephemeral', ttl: '2h' } }), /cache_control\.ttl/],
      ['a system image', { ...plain, system: [{ type: 'image' }] }, /^system\.0/],
      ['five breakpoints', { ...text(marked), tools: [marked, marked, marked, marked] }, /Found 5/],
      ['a stream that is neither', { ...plain, stream: 'yes' }, /valid boolean/],
    ])('meets %s', async (_name, body, message) => {
      const response = await post(body);

      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({
        type: 'error',
        error: { type: 'invalid_request_error', message: expect.stringMatching(message) },
      });
    });

    it.each<[string, object]>([
      ['temperature', { ...plain, temperature: 1 }],
      ['top_p', { ...plain, top_p: 1 }],
      [
        'a document of the assistant',
        {
          ...plain,
          messages: [
            ...plain.messages,
            { role: 'assistant', content: [{ type: 'document', source: { type: 'url', url: 'u' } }] },
          ],
        },
      ],
      ['citations of the user', text({ citations: [{ type: 'char_location' }] })],
    ])('meets %s in API version 2026-10-21 and not in the one before', async (_name, body) => {
      expect((await post(body, { 'anthropic-version': '2026-10-21' })).status).toBe(400);
      expect((await post(body, { 'anthropic-version': '2023-06-01' })).status).toBe(200);
    });

    it('does not meet a key that comes as a bearer token', async () => {
      expect((await post(plain, { 'x-api-key': '', authorization: 'Bearer k' })).status).toBe(200);
      expect((await post(plain, { 'x-api-key': '', authorization: 'Bearer sandbox-invalid' })).status).toBe(401);
    });

    it('of an unknown path is in the same format', async () => {
      const response = await fetch(`${sandbox.urls.messages}/v1/nothing`);

      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ type: 'error', error: { type: 'not_found_error' } });
    });
  });

  describe('count_tokens', () => {
    const count = (text: string) =>
      client.messages.countTokens({ model: 'm', messages: [{ role: 'user', content: text }] });

    it('follows directives of its own and leaves the others to the message', async () => {
      await expect(count('[[sandbox:count-status=529]]')).rejects.toMatchObject({ status: 529 });
      expect(await count('[[sandbox:count-tokens=77]]')).toMatchObject({ input_tokens: 77 });
      expect(await count('[[sandbox:status=500]]')).toMatchObject({ input_tokens: 6 });
      expect(await ask('[[sandbox:count-status=529]]')).toMatchObject({ type: 'message' });
    });

    it('is scripted apart from the messages', async () => {
      sandbox.countTokens.script({ status: 500 });

      await expect(ask('Hello')).resolves.toBeDefined();
      await expect(count('Hello')).rejects.toMatchObject({ status: 500 });
      expect(sandbox.countTokens.total).toBe(1);
    });
  });

  it('takes 32 MB and refuses more than the API does', async () => {
    const body = (bytes: number) =>
      JSON.stringify({ ...plain, messages: [{ role: 'user', content: 'x'.repeat(bytes) }] });

    expect((await post(body(32 * 1024 * 1024))).status).toBe(200);
    const refused = await post(body(34 * 1024 * 1024)).catch((error: unknown) => error);
    // The connection may break while the client still writes, as it does at any server that answers early.
    expect(refused instanceof Response ? refused.status : 413).toBe(413);
  });

  it('answers 1,000 calls at once', async () => {
    const replies = await Promise.all(Array.from({ length: 1000 }, (_, index) => ask(`Call ${index}`)));

    expect(new Set(replies.map(({ id }) => id)).size).toBe(1000);
    expect(sandbox.messages.total).toBe(1000);
  });
});
