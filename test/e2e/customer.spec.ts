import { createCaller, startApi, type TestApi } from '@test/api';
import { describeAuthentication } from '@test/suites/authentication.suite';

describe('GET /customer', () => {
  let api: TestApi;
  beforeAll(async () => (api = await startApi()));
  afterAll(() => api.stop());

  describeAuthentication(() => api, { method: 'GET', path: '/customer' }, null);

  it('gives the profile of the customer that the token belongs to, and nothing more', async () => {
    const { customer, call } = await createCaller(api, { scopes: ['sms:read'] });
    const reply = await call('/customer');
    expect(reply.status).toBe(200);
    expect(await reply.json()).toEqual({
      id: customer.id,
      name: customer.name,
      organization_number: customer.organizationNumber,
      customer_number: customer.customerNumber,
      email: customer.email,
      active: true,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    });
  });
});
