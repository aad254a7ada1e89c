import { createAiCaller, startAiApi, type AiApi } from '@test/ai-api';
import { expectProblem } from '@test/expect-problem';

const CSV = { accept: 'text/csv' };

describe('exports', () => {
  let ai: AiApi;
  beforeAll(async () => (ai = await startAiApi({ LOG_LEVEL: 'warn' })));
  afterAll(() => ai.stop());

  it('are two at a time, and can be asked for again when their readers are gone', async () => {
    const [me, other] = [await createAiCaller(ai), await createAiCaller(ai)];
    // More than fits into buffers on the way, so that a reader who takes nothing holds its export.
    await ai.api.superuser.query(
      `insert into ai_usage (customer_id, id, provider, model, input_tokens, cache_write_5m_tokens, cache_write_1h_tokens,
         cache_read_tokens, output_tokens, cost, api_request_id, created_at)
       select $1, app.new_id(), 'anthropic', repeat('m', 200), 1, 0, 0, 0, 1, 0, repeat('r', 1000), now()
       from generate_series(1, 20000)`,
      [me.customer.id],
    );
    const abort = new AbortController();
    const open = () => me.call('/ai/usage', { headers: CSV, signal: abort.signal });
    const held = [await open(), await open()];
    expect(held.map(({ status }) => status)).toEqual([200, 200]);
    const refused = await expectProblem(await open(), 429, 'rate_limited');
    expect(refused.detail).toContain('2 exports in progress');
    // Another customer's are not counted.
    expect((await other.call('/ai/usage', { headers: CSV })).status).toBe(200);
    abort.abort();
    await Promise.allSettled(held.map((reply) => reply.text()));
    for (;;) {
      const reply = await me.call('/ai/usage', { headers: CSV });
      const text = await reply.text();
      if (reply.status === 429) continue;
      expect(text.split('\r\n')).toHaveLength(20_002);
      return;
    }
  });
});
