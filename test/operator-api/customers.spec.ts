import { saveFakeCustomer } from '@test/factories/customer.factory';
import { logIn, startOperatorApi, type TestOperator, type TestOperatorApi } from '@test/operator-api';

describe('a customer in the operator API', () => {
  let api: TestOperatorApi;
  let admin: TestOperator;
  beforeAll(async () => {
    api = await startOperatorApi({ RATE_LIMIT_REQUESTS_PER_MINUTE: '700', PENDING_CREDIT_REQUESTS: '4' });
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
});
