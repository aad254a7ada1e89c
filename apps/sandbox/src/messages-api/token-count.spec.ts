import { fc } from '@test/fast-check';
import { type Sandbox, startSandbox } from '../sandbox';

/** The bound that a client without a tokenizer can rely on: a token is at least one byte of the text. */
describe('token counts', () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await startSandbox({ recordLimit: 0 });
  });
  afterAll(() => sandbox.close());

  const count = async (body: object): Promise<number> => {
    const response = await fetch(`${sandbox.urls.messages}/v1/messages/count_tokens`, {
      method: 'POST',
      headers: { 'x-api-key': 'k', 'anthropic-version': '2023-06-01' },
      body: JSON.stringify({ model: 'm', ...body }),
    });
    expect(response.status).toBe(200);
    return ((await response.json()) as { input_tokens: number }).input_tokens;
  };
  const text = fc
    .string({ minLength: 1, maxLength: 60, unit: 'grapheme' })
    .filter((value) => !value.includes('[[sandbox:'));
  const media = fc.base64String({ minLength: 4, maxLength: 80 });
  const block = fc.oneof(
    text.map((value) => ({ type: 'text', text: value })),
    text.map((value) => ({ type: 'thinking', thinking: value, signature: 'not counted' })),
    fc.record({ type: fc.constant('tool_use'), id: fc.constant('t'), name: text, input: fc.dictionary(text, text) }),
    fc.record({ type: fc.constant('tool_result'), tool_use_id: fc.constant('t'), content: text }),
    media.map((data) => ({ type: 'image', source: { type: 'base64', media_type: 'image/png', data } })),
    media.map((data) => ({ type: 'document', source: { type: 'base64', media_type: 'application/pdf', data } })),
    text.map((data) => ({ type: 'document', title: data, source: { type: 'text', media_type: 'text/plain', data } })),
    text.map((value) => ({
      type: 'search_result',
      title: value,
      source: value,
      content: [{ type: 'text', text: value }],
    })),
  );
  const messages = fc.array(fc.oneof(text, fc.array(block, { minLength: 1, maxLength: 4 })), {
    minLength: 1,
    maxLength: 4,
  });

  it('never exceed one token per byte that was sent', async () => {
    await fc.assert(
      fc.asyncProperty(messages, fc.option(text), async (contents, system) => {
        const turns = contents.map((content) => ({ role: 'user', content }));
        const bytes = Buffer.byteLength(JSON.stringify([contents, system ?? '']));
        expect(await count({ messages: turns, ...(system !== null && { system }) })).toBeLessThanOrEqual(bytes);
      }),
      { numRuns: 200 },
    );
  });

  it('of a plain text are a quarter of its bytes', async () => {
    await fc.assert(
      fc.asyncProperty(text, async (content) => {
        expect(await count({ messages: [{ role: 'user', content }] })).toBe(Math.ceil(Buffer.byteLength(content) / 4));
      }),
      { numRuns: 50 },
    );
  });

  it('of an image or a document stay under a fixed size', async () => {
    const data = 'A'.repeat(100_000);
    const blocks = [
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data } },
      { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
      { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data } },
    ];
    expect(await count({ messages: [{ role: 'user', content: blocks }] })).toBe(4500);
  });
});
