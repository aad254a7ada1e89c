import { type ServiceError } from '@platform/errors';
import { SecretBox } from '@platform/secrets';
import { saveAiCustomer, saveModelPrice } from '@test/ai-factories';
import { type AiFixture, createAiFixture } from '@test/ai.fixture';

const OWN_KEY = 'key-of-this-customer-alone';
const hello = { messages: [{ role: 'user', content: 'Hello' }], max_tokens: 10 };

describe('What the AI provider says', () => {
  let fixture: AiFixture;
  let customerId: string;
  beforeAll(async () => {
    fixture = await createAiFixture();
    customerId = await saveAiCustomer(fixture.superuser, {
      model: await saveModelPrice(fixture.superuser),
      included: 5,
    });
    const keyCiphertext = fixture.engines[0]!.get(SecretBox, { strict: false }).seal(OWN_KEY, `ai-key:${customerId}`);
    await fixture.superuser.query('update ai_settings set key_ciphertext = $2 where customer_id = $1', [
      customerId,
      keyCiphertext,
    ]);
  });
  afterAll(() => fixture.close());
  beforeEach(() => fixture.sandbox.reset());

  const failure = async () => (await fixture.send(customerId, hello).catch((error: unknown) => error)) as ServiceError;
  const refuse = (message: unknown, status = 400, headers = {}) =>
    fixture.sandbox.messages.script({
      reply: { status, headers, body: { type: 'error', error: { type: 'invalid_request_error', message } } },
    });

  it('reaches the customer without the key that was used, or any other secret', async () => {
    refuse(`messages: bad value "${OWN_KEY}" (service-wide-key, sk-ant-api03-0123456789abcdef)`);
    const { code, detail } = await failure();
    expect(fixture.sandbox.messages.requests.at(-1)?.headers).toMatchObject({ 'x-api-key': OWN_KEY });
    expect(code).toBe('ai_upstream_rejected');
    expect(detail).toBe(
      'The AI provider rejected the request: messages: bad value "[redacted]" ([redacted], [redacted])',
    );
  });

  it('reaches the customer on one line, visible, and at a bounded length', async () => {
    refuse(`messages:\n\u001b[2J\u202ebad\u0000 ${'æ'.repeat(10_000)}`, 413);
    const { detail } = await failure();
    expect(detail).toMatch(/^The AI provider rejected the request: messages: \[2Jbad æ+…$/);
    expect([...detail].length).toBeLessThan(350);
  });

  it.each([{ text: 'x' }, 7, '', '\u0000', null])(
    'is no more than a refusal when its message is %j',
    async (message) => {
      refuse(message);
      expect((await failure()).detail).toBe('The AI provider rejected the request. You were not charged');
    },
  );

  it.each([
    ['req_011CSHoEeqs5C35K2UUqR7Fy', 'req_011CSHoEeqs5C35K2UUqR7Fy'],
    [`req_${OWN_KEY}`, null],
    ['x'.repeat(300), null],
    ['<script>', null],
  ])('is kept as the id of a call only if it can be one: %s', async (id, kept) => {
    const body = { type: 'message', content: [], usage: { input_tokens: 1, output_tokens: 1 } };
    fixture.sandbox.messages.script({ reply: { headers: { 'request-id': id }, body } });
    await fixture.send(customerId, hello);
    const { rows } = await fixture.superuser.query<{ request_id: string | null }>(
      'select request_id from ai_usage where customer_id = $1 order by created_at desc limit 1',
      [customerId],
    );
    expect(rows).toEqual([{ request_id: kept }]);
  });
});
