import { createCaller, startApi, type TestApi } from '@test/api';
import { expectProblem } from '@test/expect-problem';
import { saveFakeEndpoint } from '@test/factories/webhook.factory';
import { logIn, startOperatorApi, type TestOperator, type TestOperatorApi } from '@test/operator-api';
import { operatorCommand } from '@test/operator-command';

const SAID = 'The service can keep no secrets: its operator has not set SECRETS_KEY';
const body = { url: 'https://erp.fjordlys.example/hooks' };

describe('Without SECRETS_KEY', () => {
  let api: TestApi;
  let operatorApi: TestOperatorApi;
  let caller: Awaited<ReturnType<typeof createCaller>>;
  let admin: TestOperator;
  let endpoint: string;
  beforeAll(async () => {
    api = await startApi({ OPERATOR_PORT: '0' });
    operatorApi = await startOperatorApi({}, api.database);
    caller = await createCaller(api);
    admin = await logIn(operatorApi, 'admin');
    endpoint = await saveFakeEndpoint(api.superuser, caller.customer.id);
  });
  afterAll(async () => {
    await operatorApi.stop();
    await api.stop();
  });

  const expectRefused = async (reply: Response) =>
    expect(await expectProblem(reply, 503, 'service_unavailable')).toMatchObject({ detail: SAID });

  it('customers are told that no webhook endpoint can be added, and no secret replaced', async () => {
    const headers = { 'content-type': 'application/json' };
    const add = { method: 'POST', headers, body: JSON.stringify(body) };
    await expectRefused(await caller.call('/webhooks/endpoints', add));
    await expectRefused(await caller.call(`/webhooks/endpoints/${endpoint}/rotate-secret`, { method: 'POST' }));
  });

  it('the operator is told so by the console, also of a provider key', async () => {
    await expectRefused(await admin.post('/webhook-endpoints', body));
    await expectRefused(await admin.post('/webhook-endpoints', { ...body, customer_id: caller.customer.id }));
    await expectRefused(await admin.post(`/webhook-endpoints/${endpoint}/rotate-secret`));
    const change = { method: 'PATCH', headers: { 'content-type': 'application/json' } };
    const key = JSON.stringify({ provider_key: 'sk-of-the-customer' });
    await expectRefused(await admin.call(`/customers/${caller.customer.id}/ai`, { ...change, body: key }));
  });

  it('the operator is told so by the command line', async () => {
    const added = await operatorCommand(api.database, ['webhook', 'add', '--url', body.url]);
    expect(added).toMatchObject({ stdout: '', stderr: expect.stringContaining(SAID) });
    expect(added.code).not.toBe(0);
  });

  it('nothing of it is stored', async () => {
    const { rows } = await api.superuser.query<{ id: string }>('select id from webhook_endpoint');
    expect(rows).toEqual([{ id: endpoint }]);
    expect((await api.superuser.query('select from ai_settings')).rowCount).toBe(0);
  });
});
