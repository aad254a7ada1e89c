import { createCaller, startApi, type TestApi } from '@test/api';
import { expectProblem } from '@test/expect-problem';
import { saveFakeService } from '@test/factories/service.factory';
import { describeAuthentication } from '@test/suites/authentication.suite';
import { describePaging } from '@test/suites/paging.suite';

describe('GET /services', () => {
  let api: TestApi;
  beforeAll(async () => (api = await startApi()));
  afterAll(() => api.stop());

  describeAuthentication(() => api, { method: 'GET', path: '/services' }, null);
  describePaging(
    () => api,
    '/services',
    'customer_service',
    (client, customerId, createdAt) => saveFakeService(client, customerId, { createdAt }),
    (item) => item.id,
  );

  it('gives each service with its settings, and nothing more', async () => {
    const { customer, call } = await createCaller(api, { scopes: ['sms:read'] });
    const service = await saveFakeService(api.superuser, customer.id, { config: { disk_gb: 50, nested: { a: [1] } } });
    const reply = await call('/services');
    expect(await reply.json()).toEqual({
      data: [
        {
          id: service.id,
          type: service.type,
          name: service.name,
          status: 'active',
          config: { disk_gb: 50, nested: { a: [1] } },
          created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
          updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        },
      ],
      has_more: false,
      next_cursor: null,
    });
  });

  it.each(['0', '201', '-1', '1.5', 'abc', '', '1e9', '99999999999999999999', '1&limit=2'])(
    'refuses the limit %s',
    async (limit) => {
      const { call } = await createCaller(api);
      const problem = await expectProblem(await call(`/services?limit=${limit}`), 400, 'invalid_request');
      expect(problem.errors?.map(({ pointer }) => pointer)).toEqual(['/limit']);
    },
  );

  it('ignores parameters that it does not know', async () => {
    const { customer, call } = await createCaller(api);
    await saveFakeService(api.superuser, customer.id);
    const plain = await (await call('/services')).json();
    expect(plain).toMatchObject({ data: [{ status: 'active' }] });
    const reply = await call('/services?colour=red&customer_id=1');
    expect([reply.status, await reply.json()]).toEqual([200, plain]);
  });
});
