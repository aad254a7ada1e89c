import { randomBytes } from 'node:crypto';
import { CustomersOperatorService } from '@domains/customers';
import { saveAiCustomer, saveModelPrice } from '@test/ai-factories';
import { takeViolations } from '@test/conformance/violations';
import { expectProblem } from '@test/expect-problem';
import { fakeOrganizationNumber, saveFakeCustomer } from '@test/factories/customer.factory';
import { holdLock, waitForLocks } from '@test/locks';
import { logIn, postOf, startOperatorApi, type TestOperator, type TestOperatorApi } from '@test/operator-api';
import { RequestTransactionsService } from '../../apps/operator-api/src/access/request-transactions.service';
import type { CustomerOverviewDto } from '../../apps/operator-api/src/customers/customer-overview.dto';
import type { ServiceDto } from '../../apps/operator-api/src/services/service.dto';

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

  it.each([
    ['PATCH', '/customers/ID/limits', { requests_per_minute: 2_147_483_648 }],
    ['PATCH', '/customers/ID/limits', { ai_per_minute: 3_000_000_000 }],
    ['PATCH', '/customers/ID/limits', { sms_per_minute: 1e300 }],
    ['PATCH', '/customers/ID/limits', { pending_credit_requests: 2_147_483_648 }],
    ['PATCH', '/customers/ID/sms', { daily_cap: 2_147_483_648 }],
    ['PATCH', '/customers/ID/sms', { daily_cap: -1 }],
    ['PATCH', '/customers/ID/sms', { daily_parts_cap: -1 }],
    ['POST', '/status-events', { status: 'outage', message: 'Down', service_id: 2_147_483_648 }],
  ])('refuses a number that cannot be stored: %s %s %j', async (method, path, given) => {
    const { id } = await saveFakeCustomer(api.superuser);
    const headers = { 'content-type': 'application/json' };
    const send = (body: object) => admin.call(path.replace('ID', id), { method, body: JSON.stringify(body), headers });
    const refused = await send(given);
    expect([refused.status, await refused.json()]).toEqual([
      ...[400, expect.objectContaining({ detail: expect.stringMatching(/ must be from -?\d+ to 2147483647$/) })],
    ]);
    if (method === 'POST') return;
    const [field = ''] = Object.keys(given);
    expect((await send({ [field]: 2_147_483_647 })).status).toBe(200);
  });

  it('keeps the details for which a change has null, as those that it leaves out', async () => {
    const { id, name } = await saveFakeCustomer(api.superuser);
    const send = async (method: string, path: string, body: object) => {
      const headers = { 'content-type': 'application/json' };
      const reply = await admin.call(path, { method, body: JSON.stringify(body), headers });
      return { status: reply.status, body: (await reply.json()) as { id: string | number } };
    };
    const customer = await send('PATCH', `/customers/${id}`, { name: null, email: 'ny@fjordlys.example' });
    expect(customer).toMatchObject({ status: 200, body: { name, email: 'ny@fjordlys.example' } });
    const service = await send('POST', '/services', { customer_id: id, type: 'hosting', name: 'Web' });
    const changed = await send('PATCH', `/services/${service.body.id}`, {
      name: null,
      config: null,
      status: 'suspended',
    });
    expect(changed).toMatchObject({ status: 200, body: { name: 'Web', config: {}, status: 'suspended' } });
    const url = 'https://erp.example.com/hooks';
    const endpoint = await send('POST', '/webhook-endpoints', { customer_id: id, url, description: null });
    expect(endpoint.status).toBe(201);
    const enabled = await send('PATCH', `/webhook-endpoints/${endpoint.body.id}`, { enabled: true, description: null });
    expect(enabled.status).toBe(200);
    // Accepted beyond what the document promises.
    expect(takeViolations()).toHaveLength(5);
  });

  it.each([
    ['created', 'created'],
    ['imported', 'imported'],
    ['created', 'imported'],
    ['imported', 'changed'],
  ] as const)('is one for each company, also when it is %s and %s at the same time', async (...ways) => {
    const organization_number = fakeOrganizationNumber();
    const details = { name: 'Fjordlys AS', email: 'it@fjordlys.example' };
    const { id } = await saveFakeCustomer(api.superuser);
    const csv = `name,org_number,email\nFjordlys AS,${organization_number},it@fjordlys.example\n`;
    const requests = {
      created: ['POST', '/customers', { ...details, organization_number }],
      imported: ['POST', '/customers/import', { csv }],
      changed: ['PATCH', `/customers/${id}`, { organization_number }],
    } as const;
    // Everybody reads, and nobody writes before the other has read.
    const release = await holdLock(api.database, 'lock table customer in share mode');
    const replies = ways.map(async (way) => {
      const [method, path, body] = requests[way];
      const headers = { 'content-type': 'application/json' };
      const reply = await admin.call(path, { method, body: JSON.stringify(body), headers });
      return [reply.status, await reply.text()] as const;
    });
    await waitForLocks(api.superuser, 2);
    await release();
    const refused = (await Promise.all(replies)).filter(([status, text]) => status >= 400 || text.includes('refused'));
    expect(refused).toEqual([[expect.any(Number), expect.stringContaining(organization_number)]]);
    const { rowCount } = await api.superuser.query('select from customer where organization_number = $1', [
      organization_number,
    ]);
    expect(rowCount).toBe(1);
  });

  it('has as many tokens in use as are accepted: none that has expired, as after a rotation, or was deactivated', async () => {
    const { id } = await saveFakeCustomer(api.superuser);
    const inUse = async () => {
      const overview = (await (await admin.call(`/customers/${id}/overview`)).json()) as CustomerOverviewDto;
      return overview.counts.active_tokens;
    };
    const post = async (path: string, body?: object) => (await (await admin.post(path, body)).json()) as { id: string };
    const token = await post('/tokens', { customer_id: id, scopes: ['ai:read'] });
    expect(await inUse()).toBe(1);
    const present = await post(`/tokens/${token.id}/rotate`, { grace_hours: 1 });
    expect(await inUse()).toBe(2);
    await api.superuser.query(`update service_token set expires_at = app.now() where id = $1`, [token.id]);
    expect(await inUse()).toBe(1);
    await post(`/customers/${id}/deactivate`);
    expect(await inUse()).toBe(0);
    await post(`/customers/${id}/activate`);
    await post(`/tokens/${present.id}/deactivate`);
    expect(await inUse()).toBe(0);
  });

  it('keeps what a colleague has stored in a service meanwhile: its settings are replaced as a whole', async () => {
    const { id } = await saveFakeCustomer(api.superuser);
    const change = (service: ServiceDto, body: object) => {
      const init = { ...postOf({ ...body, seen: service.updated_at }), method: 'PATCH' };
      return admin.call(`/services/${service.id}`, init);
    };
    const given = { customer_id: id, type: 'ai', name: 'AI', config: { monthly_included_nok: 100 } };
    const read = (await (await admin.post('/services', given)).json()) as ServiceDto;
    const granted = await change(read, { config: { monthly_included_nok: 500 } });
    expect(granted.status).toBe(200);
    const config = { monthly_included_nok: 100, plan: 'small' };
    const { detail } = await expectProblem(await change(read, { config }), 400, 'invalid_request');
    expect(detail).toBe('Meanwhile the service was changed: read it again');
    expect((await change((await granted.json()) as ServiceDto, { name: 'AI gateway' })).status).toBe(200);
    const { rows } = await api.superuser.query('select name, config from customer_service where id = $1', [read.id]);
    expect(rows).toEqual([{ name: 'AI gateway', config: { monthly_included_nok: 500 } }]);
  });

  it('is found by a list within the transaction that adds it', async () => {
    const [customers, transactions] = [
      api.app.get(CustomersOperatorService, { strict: false }),
      api.app.get(RequestTransactionsService, { strict: false }),
    ];
    const details = { name: 'Nettopp Lagt Til', organizationNumber: '974760673', email: 'it@example.com' };
    const found = await transactions.run(async () => {
      await customers.create('operator:test', details);
      return customers.list({ search: 'nettopp lagt' }, { limit: 5, after: undefined });
    });
    expect(found.rows).toHaveLength(1);
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
