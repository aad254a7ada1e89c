import Anthropic from '@anthropic-ai/sdk';
import { type Sandbox, startSandbox } from '../sandbox';

describe('a streamed reply of the Messages API stand-in', () => {
  let sandbox: Sandbox;
  let client: Anthropic;

  beforeAll(async () => {
    sandbox = await startSandbox();
    client = new Anthropic({ baseURL: sandbox.urls.messages, apiKey: 'sk-test', maxRetries: 0 });
  });
  afterEach(() => sandbox.reset());
  afterAll(() => sandbox.close());

  const request = (content: string) => ({
    model: 'claude-test',
    max_tokens: 1000,
    messages: [{ role: 'user' as const, content }],
  });
  const stream = (content: string) => client.messages.stream(request(content));
  const typesOf = async (content: string) => {
    const types: string[] = [];
    for await (const event of await client.messages.create({ ...request(content), stream: true }))
      types.push(event.type);
    return types;
  };

  it('is put together by the official SDK as the reply that is not streamed', async () => {
    const [whole, streamed] = await Promise.all([
      client.messages.create(request('Hello ææ€€😀😀 there')),
      stream('Hello ææ€€😀😀 there').finalMessage(),
    ]);
    const { id: _id, _request_id, ...rest } = whole;
    expect(streamed).toMatchObject(rest);
    expect(streamed.content[0]).not.toHaveProperty('citations');
  });

  it('has as many deltas as asked for, between a start and an end', async () => {
    expect(await typesOf('[[sandbox:events=3]][[sandbox:output-tokens=9]]')).toEqual([
      'message_start',
      'content_block_start',
      ...Array<string>(3).fill('content_block_delta'),
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
  });

  it('may call a tool', async () => {
    const message = await stream('[[sandbox:tool-use={"name":"weather","input":{"city":"Oslo"}}]]').finalMessage();
    expect(message.stop_reason).toBe('tool_use');
    expect(message.content.at(-1)).toMatchObject({ type: 'tool_use', name: 'weather', input: { city: 'Oslo' } });
  });

  const SCHEMA = {
    type: 'object',
    properties: {
      city: { type: 'string' },
      days: { type: 'array', items: { $ref: '#/$defs/day' }, minItems: 2 },
      kind: { enum: ['rain', 'sun'] },
    },
    required: ['city', 'days', 'kind'],
    additionalProperties: false,
    $defs: {
      day: { type: 'object', properties: { celsius: { type: 'integer' }, on: { type: 'string', format: 'date' } } },
    },
  };
  const DOCUMENT = {
    type: 'document' as const,
    title: 'Oslo',
    source: { type: 'text' as const, media_type: 'text/plain' as const, data: 'Oslo is the capital of Norway.' },
    citations: { enabled: true },
  };

  it.each([
    [
      'JSON of the schema that was asked for',
      { output_config: { format: { type: 'json_schema' as const, schema: SCHEMA } } },
      [{ type: 'text' }],
    ],
    [
      'thoughts, for a request with thinking',
      { thinking: { type: 'enabled' as const, budget_tokens: 1024 }, max_tokens: 2000 },
      [
        { type: 'thinking', thinking: expect.stringMatching(/sandbox/), signature: expect.any(String) },
        { type: 'text' },
      ],
    ],
    [
      'citations of a document that asks for them',
      {
        messages: [
          { role: 'user' as const, content: [DOCUMENT, { type: 'text' as const, text: 'Which is the capital?' }] },
        ],
      },
      [
        {
          type: 'text',
          citations: [{ type: 'char_location', cited_text: DOCUMENT.source.data, document_title: 'Oslo' }],
        },
      ],
    ],
  ])('has %s, streamed and not', async (_, options, content) => {
    const asked = { ...request('Hello'), ...options };
    const whole = await client.messages.create(asked);
    expect(whole.content).toMatchObject(content);
    expect((await client.messages.stream(asked).finalMessage()).content).toEqual(whole.content);
    if (!('output_config' in options)) return;
    const text = whole.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
    const day = { celsius: 1, on: '2026-01-31' };
    expect(JSON.parse(text)).toEqual({ city: 'sandbox', days: [day, day], kind: 'rain' });
  });

  it('may say its cost at its end', async () => {
    const message = await stream('[[sandbox:stream-usage={"output_tokens":77,"input_tokens":null}]]').finalMessage();
    expect(message.usage.output_tokens).toBe(77);
  });

  it('may fail in the middle', async () => {
    await expect(typesOf('[[sandbox:stream-error=overloaded_error]]')).rejects.toMatchObject({
      error: { error: { type: 'overloaded_error' } },
    });
  });

  it.each(['cut', 'hang'])('may never end: %s', async (how) => {
    const events = await client.messages.create({ ...request(`[[sandbox:stream-${how}=3]]`), stream: true });
    const seen: string[] = [];
    const reading = (async () => {
      for await (const event of events) {
        seen.push(event.type);
        if (how === 'hang' && seen.length === 2) events.controller.abort();
      }
    })();
    await (how === 'cut' ? expect(reading).rejects.toMatchObject({ message: 'terminated' }) : reading);
    // The third event is a ping, of which the SDK says nothing.
    expect(seen).toEqual(['message_start', 'content_block_start']);
  });

  it('may end without its end', async () => {
    expect(await typesOf('[[sandbox:stream-close=4]]')).toEqual([
      'message_start',
      'content_block_start',
      'content_block_delta',
    ]);
  });

  it('may have unknown events', async () => {
    const response = await fetch(`${sandbox.urls.messages}/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': 'k', 'anthropic-version': '2023-06-01' },
      body: JSON.stringify({ ...request('[[sandbox:stream-unknown]]'), stream: true }),
    });
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(await response.text()).toContain('event: sandbox_news\ndata: {"type":"sandbox_news"}\n\n');
  });
});
