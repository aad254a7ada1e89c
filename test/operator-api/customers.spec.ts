import { randomBytes } from 'node:crypto';
import { saveAiCustomer, saveModelPrice } from '@test/ai-factories';
import { saveFakeCustomer } from '@test/factories/customer.factory';
import { logIn, startOperatorApi, type TestOperator, type TestOperatorApi } from '@test/operator-api';

describe('a customer in the operator API', () => {
  let api: TestOperatorApi;
  let admin: TestOperator;
  beforeAll(async () => {
    api = await startOperatorApi({
      RATE_LIMIT_REQUESTS_PER_MINUTE: '700',
      PENDING_CREDIT_REQUESTS: '4',
      SECRETS_KEY: randomBytes(32).toString('base64'),
    });
    admin = await logIn(api, 'admin');
  });
  afterAll(() => api.stop());

  it('has limits of its own, and the numbers that apply without them', async () => {
    const { id } = await saveFakeCustomer(api.superuser);
    const overview = async () => (await (await admin.call(`/customers/${id}/overview`)).json()) as object;
    const ofService = { requests_per_minute: 700, ai_per_minute: 120, sms_per_minute: 60, pending_credit_requests: 4 };
    const none = {
      requests_per_minute: null,
      ai_per_minute: null,
      sms_per_minute: null,
      pending_credit_requests: null,
    };
    expect(await overview()).toMatchObject({ customer: { limits: none }, limits_in_force: ofService });
    const own = { requests_per_minute: 1200, pending_credit_requests: 0 };
    const headers = { 'content-type': 'application/json' };
    await admin.call(`/customers/${id}/limits`, { method: 'PATCH', body: JSON.stringify(own), headers });
    expect(await overview()).toMatchObject({
      customer: { limits: { ...none, ...own } },
      limits_in_force: { ...ofService, ...own },
    });
  });

  it('is listed with what it has spent on AI this month', async () => {
    const model = await saveModelPrice(api.superuser);
    const spending = await saveAiCustomer(api.superuser, { model, included: 5 });
    const none = (await saveFakeCustomer(api.superuser)).id;
    await api.superuser.query(`update customer set name = 'Sparing AS' where id = any ($1)`, [[spending, none]]);
    const spend = `update ai_account set month_usage = 1.25, month = app.billing_month(app.now(), 'Europe/Oslo') where customer_id = $1`;
    await api.superuser.query(spend, [spending]);
    const { data } = (await (await admin.call('/customers?search=Sparing')).json()) as {
      data: { id: string; ai_spent_this_month_nok: number }[];
    };
    expect(Object.fromEntries(data.map((row) => [row.id, row.ai_spent_this_month_nok]))).toEqual({
      [spending]: 1.25,
      [none]: 0,
    });
  });

  it('says why all its AI messages are refused, as far as its settings go', async () => {
    const { id } = await saveFakeCustomer(api.superuser);
    const fault = async () => ((await (await admin.call(`/customers/${id}/ai`)).json()) as { fault: string }).fault;
    const sql = (statement: string) => api.superuser.query(statement, [id]);
    expect(await fault()).toBe('disabled');
    await sql('insert into ai_settings (customer_id, enabled) values ($1, true)');
    expect(await fault()).toBe('no_model');
    await api.superuser.query(
      `insert into ai_model_price (model, valid_from, input, cache_write_5m, cache_write_1h, cache_read, output)
       values ('to-come', '2999-01-01', 1, 1, 1, 1, 1), ('begun', '2026-01-01', 1, 1, 1, 1, 1)`,
    );
    await sql(`update ai_settings set model = 'to-come' where customer_id = $1`);
    expect(await fault()).toBe('no_price');
    await sql(`update ai_settings set model = 'begun' where customer_id = $1`);
    expect(await fault()).toBe('no_key');
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ provider_key: 'a-key-of-its-own' });
    await admin.call(`/customers/${id}/ai`, { method: 'PATCH', body, headers });
    expect(await fault()).toBeNull();
    await sql(`update ai_settings set key_ciphertext = '\\x00' where customer_id = $1`);
    expect(await fault()).toBe('key_unreadable');
  });
});
