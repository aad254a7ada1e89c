import { logIn, startOperatorApi, type TestOperator, type TestOperatorApi } from '@test/operator-api';

interface Price {
  model: string;
  valid_from: string;
  first_day: string;
}

describe('prices in the operator API', () => {
  let api: TestOperatorApi;
  let kari: TestOperator;
  beforeAll(async () => {
    api = await startOperatorApi({ BILLING_TIMEZONE: 'Europe/Oslo' });
    kari = await logIn(api, 'billing');
  });
  afterAll(() => api.stop());

  it('have their first day in the billing time zone, by which they are taken back', async () => {
    const added = await kari.post('/prices', { model: 'claude-next', input: '12', output: '60', from: '2099-02-01' });
    const price = { model: 'claude-next', valid_from: '2099-01-31T23:00:00.000000Z', first_day: '2099-02-01' };
    expect(await added.json()).toMatchObject(price);
    const { data } = (await (await kari.call('/prices')).json()) as { data: Price[] };
    expect(data).toMatchObject([price]);
    const withdrawn = await kari.post('/prices/withdraw', { model: 'claude-next', from: data[0]!.first_day });
    expect([withdrawn.status, await withdrawn.json()]).toEqual([200, expect.objectContaining(price)]);
    expect(await (await kari.call('/prices')).json()).toMatchObject({ data: [] });
  });

  it('begin on no day of antiquity', async () => {
    const added = await kari.post('/prices', { model: 'claude-next', input: '12', output: '60', from: '0001-01-01' });
    const withdrawn = await kari.post('/prices/withdraw', { model: 'claude-next', from: '0001-01-01' });
    expect([added.status, withdrawn.status]).toEqual([400, 400]);
  });
});
