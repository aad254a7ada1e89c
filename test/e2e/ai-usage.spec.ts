import { createAiCaller, startAiApi, type AiApi } from '@test/ai-api';
import { parseExactly, readAllPages } from '@test/csv-lists';
import { describeAuthentication } from '@test/suites/authentication.suite';

const MESSAGE = { max_tokens: 50, messages: [{ role: 'user', content: 'Say something' }] };

describe('receipts', () => {
  let ai: AiApi;
  beforeAll(async () => (ai = await startAiApi()));
  afterAll(() => ai.stop());

  for (const path of ['/ai/usage', '/ai/usage/summary', '/ai/ledger']) {
    describeAuthentication(() => ai.api, { method: 'GET', path }, 'ai:read');
  }

  it('have what a message cost, which credit paid, at which prices, and who sent it', async () => {
    const me = await createAiCaller(ai, { included: 5 });
    await ai.api.superuser.query(`update service_token set name = 'ERP production' where id = $1`, [me.token.id]);
    const reply = await me.post('/ai/messages', MESSAGE, { headers: { 'x-request-id': 'my-request-1' } });
    if (reply.status !== 201) throw new Error(await reply.text());
    const { usage } = (await reply.json()) as { usage: { input_tokens: number; output_tokens: number } };
    const [receipt] = await readAllPages(me.call, '/ai/usage');
    const cost = (usage.input_tokens * 1000 + usage.output_tokens * 5000) / 1_000_000;
    expect(receipt).toMatchObject({
      model: ai.model,
      provider: 'anthropic',
      input_tokens: usage.input_tokens,
      output_tokens: usage.output_tokens,
      prices: { input: 1000, output: 5000, valid_from: '2020-01-01T00:00:00.000000Z' },
      cost: String(cost),
      paid_from_included: String(cost),
      paid_from_purchased: 0,
      uncovered: 0,
      currency: 'NOK',
      request_id: 'my-request-1',
      token: { id: me.token.id, name: 'ERP production' },
      streamed: false,
    });
    const one = await me.call(`/ai/usage/${String(receipt?.id)}`);
    expect(parseExactly(await one.text())).toEqual(receipt);
  });
});
