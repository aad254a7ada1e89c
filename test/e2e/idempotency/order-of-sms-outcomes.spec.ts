import { allowSms } from '@test/factories/sms-settings.factory';
import { type FullApi, startFullApi } from '@test/full-api';
import { createKeyedCaller, type ReplyBytes } from '@test/idempotent-posts';

const SMS = { to: '+4790000000', message: 'Hello' };
const outcomeOf = ({ status, replayed, body }: ReplyBytes) => [
  status,
  replayed ? 'replayed' : (JSON.parse(body) as { code?: string }).code,
];

describe('what an SMS with an Idempotency-Key is told first', () => {
  let full: FullApi;
  beforeAll(async () => (full = await startFullApi()));
  afterAll(() => full.stop());
  beforeEach(() => full.sandbox.reset());

  const disable = (customerId: string) =>
    full.api.superuser.query('update sms_settings set enabled = false where customer_id = $1', [customerId]);
  const cap = (customerId: string) => allowSms(full.api.superuser, customerId, 1);

  it.each([
    ['SMS are disabled', disable, [403, 'sms_disabled']],
    ['the cap of the day is reached', cap, [429, 'rate_limited']],
  ])('is the reply that was kept, also while %s', async (_, refuse, refusal) => {
    const { post, customer, newKey } = await createKeyedCaller(full);
    const key = newKey();
    const first = await post('/sms/send', SMS, key);
    await refuse(customer.id);
    expect(outcomeOf(await post('/sms/send', SMS, newKey()))).toEqual(refusal);
    expect(await post('/sms/send', SMS, key)).toEqual({ ...first, status: 201, replayed: true });
    const other = { ...SMS, message: 'Hello again' };
    expect(outcomeOf(await post('/sms/send', other, key))).toEqual([422, 'idempotency_key_reused']);
    expect(full.sandbox.elks46.accepted).toHaveLength(1);
  });

  it('is that its first try is in progress, also when the cap is reached', async () => {
    const { post, customer, newKey } = await createKeyedCaller(full);
    const key = newKey();
    const gate = full.sandbox.elks46.hold();
    const first = post('/sms/send', SMS, key);
    await full.sandbox.elks46.received(1);
    await cap(customer.id);
    expect(outcomeOf(await post('/sms/send', SMS, key))).toEqual([409, 'idempotency_key_in_progress']);
    gate.open();
    expect((await first).status).toBe(201);
  });

  it('is that the key is reused, where the other request is invalid', async () => {
    const { post, newKey } = await createKeyedCaller(full);
    const key = newKey();
    await post('/sms/send', SMS, key);
    for (const invalid of [{}, { ...SMS, to: 'nobody' }, { ...SMS, to: '+4782900000' }])
      expect(outcomeOf(await post('/sms/send', invalid, key))).toEqual([422, 'idempotency_key_reused']);
    expect(outcomeOf(await post('/sms/send', {}, newKey()))).toEqual([400, 'invalid_request']);
  });

  it('is that the gateway refused it, which frees the key', async () => {
    const { post, newKey } = await createKeyedCaller(full);
    const key = newKey();
    full.sandbox.elks46.script({ status: 403 });
    expect((await post('/sms/send', SMS, key)).status).toBe(502);
    full.sandbox.reset();
    expect(await post('/sms/send', SMS, key)).toMatchObject({ status: 201, replayed: false });
  });
});
