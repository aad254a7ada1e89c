import { randomBytes, randomUUID } from 'node:crypto';
import { hashKey, openKeptReply, ReplySealerService } from '@platform/idempotency';
import { OperatorRequestKeysService } from '@platform/operator-accounts';
import { saveModelPrice } from '@test/ai-factories';
import { expectProblem } from '@test/expect-problem';
import { fakeOrganizationNumber, saveFakeCustomer } from '@test/factories/customer.factory';
import { saveFakeInvoice } from '@test/factories/invoice.factory';
import { itOnOneServer } from '@test/kinds-of-server';
import { holdLock, waitForLocks } from '@test/locks';
import { connectAsSuperuser } from '@test/test-database';
import { logIn, startOperatorApi, type TestOperator, type TestOperatorApi } from '@test/operator-api';
import { operatorCommand } from '@test/operator-command';

type Reply = Record<string, unknown> & { id: string };

describe('changes through the operator API', () => {
  let api: TestOperatorApi;
  let admin: TestOperator;
  let customer: string;
  let model: string;
  beforeAll(async () => {
    api = await startOperatorApi({
      SECRETS_KEY: randomBytes(32).toString('base64'),
      STRIPE_SECRET_KEY: 'sk_test_of_nobody',
    });
    admin = await logIn(api, 'admin');
    model = await saveModelPrice(api.superuser);
    customer = (await make('POST', '/customers', newCustomer())).id;
  });
  afterAll(() => api.stop());

  const newCustomer = () => ({
    ...{ name: 'Fjordlys AS', organization_number: fakeOrganizationNumber(), email: 'it@fjordlys.example' },
  });
  const send = (method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
    admin.call(path, {
      method,
      ...(body && { body: JSON.stringify(body) }),
      headers: { ...(body && { 'content-type': 'application/json' }), ...headers },
    });
  const make = async (method: string, path: string, body?: object) => {
    const reply = await send(method, path, body);
    expect([method, path, reply.status]).toEqual([method, path, expect.any(Number)]);
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${await reply.text()}`);
    return (reply.status === 204 ? {} : await reply.json()) as Reply;
  };
  const entries = async (since: string) => {
    const { rows } = await api.superuser.query<{ action: string; actor: string }>(
      'select action, actor from audit_log where id > $1 order by id',
      [since],
    );
    return rows;
  };
  const newest = async () => {
    const { rows } = await api.superuser.query<{ id: string }>('select id from audit_log order by id desc limit 1');
    return rows[0]!.id;
  };

  it('tell no customer of the service of another one, whose number was mistyped', async () => {
    const other = (await make('POST', '/customers', newCustomer())).id;
    const { id } = await make('POST', '/services', { customer_id: other, type: 'hosting', name: 'Of the other' });
    const event = { service_id: id, status: 'outage', message: 'Down' };
    const refused = await send('POST', '/status-events', { ...event, customer_id: customer });
    expect([refused.status, ((await refused.json()) as { detail: string }).detail]).toEqual([
      400,
      `Service ${id} is of another customer`,
    ]);
    expect(await make('POST', '/status-events', { ...event, customer_id: other })).toMatchObject({
      customer_id: other,
      service_name: 'Of the other',
    });
    const { rows } = await api.superuser.query('select customer_id from status_event where service_id = $1', [id]);
    expect(rows).toEqual([{ customer_id: other }]);
  });

  it('announce to the services of a type however it was written, and say to how many, as the list of a customer finds them', async () => {
    const other = (await make('POST', '/customers', newCustomer())).id;
    await make('POST', '/services', { customer_id: customer, type: 'Fax', name: 'Fax' });
    await make('POST', '/services', { customer_id: other, type: 'fax ', name: 'Fax' });
    await make('POST', '/services', { customer_id: other, type: 'FAX', name: 'Fax' });
    // As it was stored before types were in small letters.
    await api.superuser.query(`insert into customer_service (customer_id, type, name) values ($1, 'Fax', 'Old')`, [
      other,
    ]);
    const types = (await (await admin.call('/services/types')).json()) as { data: object[] };
    expect(types.data).toContainEqual({ type: 'fax', services: 4, customers: 2 });
    expect(await make('GET', `/services?customer_id=${other}&type=FaX`)).toMatchObject({ total: 3 });
    expect(await make('GET', `/services?customer_id=${other}&type=fa`)).toMatchObject({ total: 0 });
    const announcement = { type: 'fax', status: 'maintenance', message: 'New gateway' };
    expect(await make('POST', '/announcements', announcement)).toMatchObject({ services: 4, customers: 2 });
  });

  it('are found in the audit log by what it shows: its author, its action or its group, with the names of records', async () => {
    const token = await make('POST', '/tokens', { customer_id: customer, scopes: ['ai:read'], name: 'Of the audit' });
    const service = await make('POST', '/services', { customer_id: customer, type: 'hosting', name: 'Audited' });
    const audit = async (query: object) => {
      const text = new URLSearchParams({ customer_id: customer, ...query }).toString();
      return ((await (await admin.call(`/audit?${text}`)).json()) as { data: Record<string, unknown>[] }).data;
    };
    const issued = expect.objectContaining({ action: 'token.issue', names: { [token.id]: 'Of the audit' } }) as unknown;
    const shouted = admin.name.toUpperCase();
    for (const by of [admin.name, `operator:${admin.name}`, shouted, `operator:${shouted}`])
      for (const action of ['token', 'token.issue']) {
        const found = await audit({ by, action });
        expect([by, action, found]).toEqual([by, action, expect.arrayContaining([issued])]);
        expect(found.filter((entry) => !String(entry.action).startsWith('token.'))).toEqual([]);
      }
    expect(await audit({ action: 'service' })).toContainEqual(
      expect.objectContaining({ action: 'service.add', names: { [service.id]: 'Audited' } }),
    );
    expect(await audit({ by: 'nobody' })).toEqual([]);
    expect(await audit({ action: 'tok' })).toEqual([]);
    const { data } = (await (await admin.call('/audit/actions')).json()) as { data: string[] };
    expect(data).toEqual([...new Set(data)].sort());
    expect(data).toEqual(expect.arrayContaining(['service.add', 'token.issue']));
  });

  it('are each recorded with the name of the person, what is changed, and how', async () => {
    const since = await newest();
    const made: string[] = [];
    const change = async (action: string, ...request: Parameters<typeof make>) => {
      made.push(action);
      return make(...request);
    };
    const at = `/customers/${customer}`;
    await change('customer.change', 'PATCH', at, { name: 'Fjordlys Drift AS' });
    await change('customer.limits', 'PATCH', `${at}/limits`, { requests_per_minute: 1200, sms_per_minute: null });
    await change('customer.deactivate', 'POST', `${at}/deactivate`);
    await change('customer.activate', 'POST', `${at}/activate`);
    await change('ai.configure', 'PATCH', `${at}/ai`, {
      enabled: true,
      model,
      included_nok: 500,
      provider_key: 'sk-of-its-own',
    });
    await change('ai.credit', 'POST', `${at}/ai/credit`, {
      kind: 'refund',
      amount_nok: '12.50',
      note: 'Calls of 3 March',
    });
    await change('sms.configure', 'PATCH', `${at}/sms`, { enabled: true, sender_id: 'Fjordlys', countries: ['NO'] });
    const service = await change('service.add', 'POST', '/services', {
      customer_id: customer,
      type: 'backup',
      name: 'Web',
    });
    await change('service.update', 'PATCH', `/services/${service.id}`, { status: 'suspended' });
    const event = await change('status.post', 'POST', '/status-events', {
      ...{ service_id: service.id, status: 'outage', message: 'Down' },
    });
    await change('status.end', 'POST', `/status-events/${event.id}/end`);
    const all = await change('status.post', 'POST', '/announcements', {
      type: 'backup',
      status: 'maintenance',
      message: 'Disks',
    });
    await change('status.end', 'POST', `/announcements/${all.id}/end`);
    const token = await change('token.issue', 'POST', '/tokens', {
      customer_id: customer,
      scopes: ['ai:read'],
      name: 'ERP',
    });
    await change('token.rename', 'POST', `/tokens/${token.id}/rename`, { name: 'ERP test' });
    const rotated = await change('token.rotate', 'POST', `/tokens/${token.id}/rotate`, { grace_hours: 1 });
    await change('token.deactivate', 'POST', `/tokens/${rotated.id}/deactivate`);
    const invoice = await change('invoice.add', 'POST', '/invoices', {
      ...{
        customer_id: customer,
        number: randomUUID(),
        amount_nok: 1250.5,
        issue_date: '2026-11-20',
        due_date: '2026-12-04',
      },
    });
    await change('invoice.set-status', 'POST', `/invoices/${invoice.id}/set-status`, { status: 'paid' });
    await change('invoice.link', 'POST', '/billing-accounts', {
      ...{ customer_id: customer, source: 'stripe', source_customer_id: 'cus_1' },
    });
    await change('invoice.sync', 'POST', '/invoice-syncs', { customer_id: customer, source: 'stripe' });
    await change('invoice.unlink', 'POST', '/billing-accounts/unlink', { customer_id: customer, source: 'stripe' });
    await change('ai.price', 'POST', '/prices', {
      model: 'claude-next',
      input: '12.5',
      output: '60',
      from: '2099-02-01',
    });
    await change('ai.withdraw-price', 'POST', '/prices/withdraw', { model: 'claude-next', from: '2099-02-01' });
    const ticket = randomUUID();
    await api.superuser.query(
      `insert into support_ticket (customer_id, id, title, body) values ($1, $2, 'Slow', 'Very')`,
      [...[customer, ticket]],
    );
    const replied = await change('ticket.reply', 'POST', `/tickets/${ticket}/reply`, { body: 'We look into it' });
    const noted = await change('ticket.note', 'POST', `/tickets/${ticket}/note`, { body: 'Waits for the provider' });
    await change('ticket.assign', 'POST', `/tickets/${ticket}/assign`, {});
    await change('ticket.unassign', 'POST', `/tickets/${ticket}/assign`, { to: null, replaces: admin.name });
    await change('ticket.set-status', 'POST', `/tickets/${ticket}/set-status`, { status: 'resolved' });
    const endpoint = await change('webhook.create', 'POST', '/webhook-endpoints', {
      ...{ customer_id: customer, url: 'https://erp.fjordlys.example/hooks', event_types: ['ai.credit.low'] },
    });
    await change('webhook.change', 'PATCH', `/webhook-endpoints/${endpoint.id}`, { event_types: [] });
    const tested = await change('webhook.test', 'POST', `/webhook-endpoints/${endpoint.id}/test`);
    await change('webhook.redeliver', 'POST', `/webhook-deliveries/${tested.id}/redeliver`);
    await change('webhook.redeliver-since', 'POST', `/webhook-endpoints/${endpoint.id}/redeliver`, {
      since: '2026-11-20T00:00:00Z',
    });
    await change('webhook.rotate-secret', 'POST', `/webhook-endpoints/${endpoint.id}/rotate-secret`);
    await change('webhook.delete', 'DELETE', `/webhook-endpoints/${endpoint.id}`);
    made.push('account.create');
    const account = await change('account.invite', 'POST', '/accounts', { email: 'nils@example.com', role: 'viewer' });
    await change('account.role', 'POST', `/accounts/${account.id}/set-role`, { role: 'support' });
    await change('account.deactivate', 'POST', `/accounts/${account.id}/deactivate`);
    await change('account.activate', 'POST', `/accounts/${account.id}/activate`);
    await change('session.revoke', 'POST', `/accounts/${account.id}/sessions/revoke`);
    await change('customer.create', 'POST', '/customers/import', {
      ...{ csv: `name,org_number,email\nNordlys,${fakeOrganizationNumber()},a@b.example\n` },
    });
    await change('customer.export', 'POST', `${at}/export`);
    expect(await entries(since)).toEqual(made.map((action) => ({ action, actor: `operator:${admin.name}` })));
    const { rows } = await api.superuser.query<{ action: string; metadata: object }>(
      'select action, metadata from audit_log where id > $1 order by id',
      [since],
    );
    const down = { event_id: event.id, service_id: service.id, status: 'outage', message: 'Down' };
    const disks = { announcement_id: all.id, message: 'Disks', services: 1 };
    const host = 'erp.fjordlys.example';
    const ofEndpoint = { endpoint_id: endpoint.id };
    const ofAccount = { account_id: account.id, email: 'nils@example.com' };
    const price = { model: 'claude-next', valid_from: '2099-01-31T23:00:00.000Z' };
    expect(rows.map(({ action, metadata }) => [action, metadata])).toEqual([
      ['customer.change', { name: 'Fjordlys Drift AS' }],
      ['customer.limits', { requests_per_minute: 1200, sms_per_minute: null }],
      ['customer.deactivate', { active: false }],
      ['customer.activate', { active: true }],
      ['ai.configure', { enabled: true, model, included_nok: '500', own_key: 'set' }],
      ['ai.credit', { kind: 'refund', amount_nok: '12.50', note: 'Calls of 3 March' }],
      [
        'sms.configure',
        { enabled: true, sender_id: 'Fjordlys', daily_cap: null, daily_parts_cap: null, countries: ['NO'] },
      ],
      ['service.add', { service_id: service.id, type: 'backup', name: 'Web' }],
      ['service.update', { service_id: service.id, status: 'suspended' }],
      ['status.post', down],
      ['status.end', down],
      ['status.post', { ...disks, type: 'backup', status: 'maintenance' }],
      ['status.end', disks],
      ['token.issue', { token_id: token.id, name: 'ERP', scopes: ['ai:read'], expires_at: null }],
      ['token.rename', { token_id: token.id, from: 'ERP', to: 'ERP test' }],
      ['token.rotate', { token_id: token.id, new_token_id: rotated.id, grace_hours: 1 }],
      ['token.deactivate', { token_id: rotated.id }],
      ['invoice.add', { invoice_id: invoice.id, number: invoice.number, amount: '1250.50', currency: 'NOK' }],
      ['invoice.set-status', { invoice_id: invoice.id, from: 'open', to: 'paid' }],
      ['invoice.link', { source: 'stripe', source_customer_id: 'cus_1' }],
      ['invoice.sync', { source: 'stripe', full: false, accounts: 1 }],
      ['invoice.unlink', { source: 'stripe', source_customer_id: 'cus_1', invoices_removed: 0 }],
      ['ai.price', { ...price, input: '12.5', output: '60' }],
      ['ai.withdraw-price', { ...price, input: '12.500000', output: '60.000000' }],
      ['ticket.reply', { ticket_id: ticket, reply_id: replied.id }],
      ['ticket.note', { ticket_id: ticket, reply_id: noted.id }],
      ['ticket.assign', { ticket_id: ticket, from: null, to: admin.name }],
      ['ticket.unassign', { ticket_id: ticket, from: admin.name, to: null }],
      ['ticket.set-status', { ticket_id: ticket, from: 'open', to: 'resolved' }],
      ['webhook.create', { ...ofEndpoint, host }],
      ['webhook.change', { ...ofEndpoint, host, enabled: true, changed: ['event_types'] }],
      ['webhook.test', ofEndpoint],
      ['webhook.redeliver', { delivery_id: tested.id }],
      ['webhook.redeliver-since', { ...ofEndpoint, since: '2026-11-20T00:00:00+00:00', count: 0 }],
      ['webhook.rotate-secret', ofEndpoint],
      ['webhook.delete', { ...ofEndpoint, host }],
      ['account.create', { ...ofAccount, name: 'nils', role: 'viewer' }],
      ['account.invite', { ...ofAccount, role: 'viewer' }],
      ['account.role', { ...ofAccount, role: 'support' }],
      ['account.deactivate', { ...ofAccount, active: false }],
      ['account.activate', { ...ofAccount, active: true }],
      ['session.revoke', { account_id: account.id, sessions: 0 }],
      ['customer.create', { name: 'Nordlys', customer_number: expect.stringMatching(/^\d+$/) as unknown }],
      ['customer.export', {}],
    ]);
  });

  it('do not happen without their entry in the audit log', async () => {
    await api.superuser.query('alter table audit_log add constraint nothing check (false) not valid');
    const counts = async () =>
      (
        await api.superuser.query(
          `select (select count(*) from customer) as customers, (select count(*) from service_token) as tokens,
             (select count(*) from operator_account) as accounts`,
        )
      ).rows;
    const before = await counts();
    const refused = [
      await send('POST', '/customers', newCustomer()),
      await send('PATCH', `/customers/${customer}`, { name: 'Another AS' }),
      await send('POST', '/tokens', { customer_id: customer, scopes: ['ai:read'] }),
      await send('POST', '/accounts', { email: 'anna@example.com', role: 'admin' }),
    ];
    await api.superuser.query('alter table audit_log drop constraint nothing');
    expect(refused.map(({ status }) => status)).toEqual([500, 500, 500, 500]);
    expect(await counts()).toEqual(before);
    expect(await make('GET', `/customers/${customer}`)).not.toMatchObject({ name: 'Another AS' });
  });

  describe('with an Idempotency-Key', () => {
    const keyed = (path: string, body: object | undefined, key: string) =>
      send('POST', path, body, { 'idempotency-key': key });
    const tokens = async () =>
      ((await make('GET', `/tokens?customer_id=${customer}`)) as unknown as { total: number }).total;

    it('happen once, and a retry gets the reply without the token, which is kept nowhere', async () => {
      const [key, before] = [randomUUID(), await tokens()];
      const body = { customer_id: customer, scopes: ['ai:read'], name: 'Once' };
      const first = await keyed('/tokens', body, key);
      const issued = (await first.json()) as Reply;
      const again = await keyed('/tokens', body, key);
      expect([first.status, again.status, again.headers.get('idempotency-replayed')]).toEqual([201, 201, 'true']);
      expect(issued.token).toMatch(/^cas_live_/);
      expect(await again.json()).toEqual({ ...issued, token: null });
      expect(await tokens()).toBe(before + 1);
      const stored = { customerId: admin.id, key, hash: hashKey(admin.id, key), fingerprint: Buffer.alloc(0) };
      const kept = await api.app.get(OperatorRequestKeysService).find(stored.hash);
      const { body: reply } = await openKeptReply(api.app.get(ReplySealerService), stored, kept!);
      expect(JSON.parse((reply as Buffer).toString())).toEqual({ ...issued, token: null });
    });

    it('show a retry no secret, whatever makes one', async () => {
      const token = await make('POST', '/tokens', { customer_id: customer, scopes: ['ai:read'] });
      const url = 'https://erp.fjordlys.example/hooks';
      const endpoint = await make('POST', '/webhook-endpoints', { customer_id: customer, url });
      const routes = [
        [`/tokens/${token.id}/rotate`, { grace_hours: 1 }, 'token'],
        ['/webhook-endpoints', { customer_id: customer, url }, 'secret'],
        [`/webhook-endpoints/${endpoint.id}/rotate-secret`, undefined, 'secret'],
        ['/accounts', { email: 'once@example.com', role: 'viewer' }, 'link'],
      ] as const;
      for (const [path, body, field] of routes) {
        const key = randomUUID();
        const [first, again] = [await keyed(path, body, key), await keyed(path, body, key)];
        const made = (await first.json()) as Reply;
        expect([path, typeof made[field]]).toEqual([path, 'string']);
        expect(await again.json()).toEqual({ ...made, [field]: null });
      }
    });

    it('happen once when they are sent five times at once', async () => {
      const [key, at] = [randomUUID(), `/customers/${customer}/ai/credit`];
      const body = { kind: 'manual_adjustment', amount_nok: '7', note: 'Once' };
      const replies = await Promise.all(Array.from({ length: 5 }, () => keyed(at, body, key)));
      expect(replies.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
      const { rows } = await api.superuser.query(
        `select from ai_ledger_entry where customer_id = $1 and note = 'Once'`,
        [customer],
      );
      expect(rows).toHaveLength(1);
    });

    it('are made anew after 24 hours, not before', async () => {
      const [key, before] = [randomUUID(), await tokens()];
      const issue = () => keyed('/tokens', { customer_id: customer, scopes: ['ai:read'], name: 'Kept' }, key);
      const age = (by: string) =>
        api.superuser.query('update operator_request_key set created_at = now() - $1::interval', [by]);
      await issue();
      await age('23 hours 59 minutes');
      await issue();
      expect(await tokens()).toBe(before + 1);
      await age('24 hours 1 minute');
      await issue();
      expect(await tokens()).toBe(before + 2);
    });

    itOnOneServer(
      'do not wait for another request that deletes the keys of yesterday',
      'its writes of a table that every node has follow each other',
      async () => {
        await api.superuser.query(
          `insert into operator_request_key (key_hash, fingerprint, created_at) values ('\\x00', '\\x00', now() - interval '2 days')`,
        );
        const other = await connectAsSuperuser(api.database);
        await other.query('begin; delete from operator_request_key');
        const reply = await keyed('/customers', newCustomer(), randomUUID());
        await other.query('commit');
        await other.end();
        expect(reply.status).toBe(201);
      },
    );

    it('are refused for another request, and another person may use the same key', async () => {
      const [key, at] = [randomUUID(), `/customers/${customer}/ai/credit`];
      const body = { kind: 'refund', amount_nok: '3', note: 'Twice' };
      await keyed(at, body, key);
      const other = await keyed(at, { ...body, amount_nok: '4' }, key);
      expect([other.status, ((await other.json()) as { code: string }).code]).toEqual([422, 'idempotency_key_reused']);
      const colleague = await logIn(api, 'billing');
      const own = await colleague.call(at, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json', 'idempotency-key': key },
      });
      expect([own.status, own.headers.get('idempotency-replayed')]).toEqual([201, null]);
    });

    it('are refused with the name that others have for the header, which would protect nothing', async () => {
      const before = await tokens();
      const issue = { customer_id: customer, scopes: ['ai:read'], name: 'Twice' };
      const refused = await send('POST', '/tokens', issue, { 'x-idempotency-key': randomUUID() });
      expect([refused.status, ((await refused.json()) as { detail: string }).detail]).toEqual([
        400,
        'Send the header Idempotency-Key instead of X-Idempotency-Key, which has no effect',
      ]);
      expect(await tokens()).toBe(before);
    });

    it('name unknown fields to a retry too', async () => {
      const [key, body] = [randomUUID(), { ...newCustomer(), emial: 'typo@fjordlys.example' }];
      const names = async () => (await keyed('/customers', body, key)).headers.get('x-ignored');
      expect([await names(), await names()]).toEqual(['emial', 'emial']);
    });

    it('say that a reply is there no more whose SECRETS_KEY is lost', async () => {
      const [key, body] = [randomUUID(), newCustomer()];
      await keyed('/customers', body, key);
      await api.superuser.query(`update operator_request_key set secrets_key = 'of yesterday'`);
      const again = await keyed('/customers', body, key);
      expect([again.status, await again.json()]).toEqual([
        409,
        expect.objectContaining({
          code: 'idempotency_reply_not_kept',
          detail: 'The request was done once, but its reply can no longer be read',
        }),
      ]);
    });

    it('leave the key free if they are refused', async () => {
      const key = randomUUID();
      const refused = await keyed('/customers', { ...newCustomer(), email: 'nobody' }, key);
      expect(refused.status).toBe(400);
      expect((await keyed('/customers', newCustomer(), key)).status).toBe(201);
    });
  });

  it('show whose a leaked token is, and do not repeat it', async () => {
    const issued = await make('POST', '/tokens', { customer_id: customer, scopes: ['ai:read'] });
    const found = await send('POST', '/tokens/find', {
      text: `curl -H 'Authorization: Bearer ${String(issued.token)}' …`,
    });
    const text = await found.text();
    expect([found.status, text.includes(String(issued.token))]).toEqual([200, false]);
    expect(JSON.parse(text)).toMatchObject({ data: [{ id: issued.id, customer_id: customer }] });
    const [{ fingerprint }] = (JSON.parse(text) as { data: [{ fingerprint: string }] }).data;
    for (const digits of [fingerprint, fingerprint.toUpperCase()])
      expect(await make('GET', `/customers?search=${digits}`)).toMatchObject({ data: [{ id: customer }] });
  });

  it("of one invoice's status follow each other, though two people make them at once, and stop with an erasure", async () => {
    const { id: owner } = await saveFakeCustomer(api.superuser);
    const { id } = await saveFakeInvoice(api.superuser, owner);
    const set = (status: string) => send('POST', `/invoices/${id}/set-status`, { status });
    const release = await holdLock(api.database, 'select from invoice where customer_id = $1 and id = $2 for update', [
      owner,
      id,
    ]);
    const paid = set('paid');
    await waitForLocks(api.superuser, 1);
    const voided = set('void');
    await waitForLocks(api.superuser, 2);
    await release();
    expect([(await paid).status, (await voided).status]).toEqual([200, 200]);
    const changes = async () =>
      (
        await api.superuser.query<{ change: object }>(
          `select metadata as change from audit_log where customer_id = $1 order by id`,
          [owner],
        )
      ).rows.map(({ change }) => change);
    const made = [
      { invoice_id: id, from: 'open', to: 'paid' },
      { invoice_id: id, from: 'paid', to: 'void' },
    ];
    expect(await changes()).toEqual(made);
    await api.superuser.query('update customer set erased_at = now() where id = $1', [owner]);
    await expectProblem(await set('paid'), 400, 'invalid_request');
    expect(await changes()).toEqual(made);
  });

  it('replace no status of an invoice that a colleague has set meanwhile, if the person says which was shown', async () => {
    const { id: owner } = await saveFakeCustomer(api.superuser);
    const { id } = await saveFakeInvoice(api.superuser, owner);
    const set = (body: object) => send('POST', `/invoices/${id}/set-status`, body);
    expect((await set({ status: 'void', replaces: 'open' })).status).toBe(200);
    const problem = await expectProblem(await set({ status: 'paid', replaces: 'open' }), 400, 'invalid_request');
    expect(problem.detail).toBe('Meanwhile the invoice was set to void: read it again');
    const words = ['invoice', 'set-status', '--invoice', id, '--status', 'paid', '--replaces', 'open'];
    expect((await operatorCommand(api.database, words)).stderr).toContain('Meanwhile the invoice was set to void');
    expect((await set({ status: 'paid', replaces: 'void' })).status).toBe(200);
  });

  it('take each scope of a token or a webhook endpoint once', async () => {
    const given = (scopes: string[]) => ({ customer_id: customer, url: 'https://erp.fjordlys.example/twice', scopes });
    for (const path of ['/tokens', '/webhook-endpoints']) {
      const refused = await send('POST', path, given(['ai:read', 'ai:read']));
      expect(await refused.json()).toMatchObject({
        ...{
          status: 400,
          errors: [{ pointer: '/scopes', detail: expect.stringMatching(/^scopes must be a list of different/) }],
        },
      });
      expect(await make('POST', path, given(['ai:read', 'sms:read']))).toMatchObject({
        scopes: ['ai:read', 'sms:read'],
      });
    }
  });

  it('make no webhook endpoint for a customer that does not exist or was erased', async () => {
    const add = (customerId: string) =>
      send('POST', '/webhook-endpoints', { customer_id: customerId, url: 'https://erp.fjordlys.example/hooks' });
    await expectProblem(await add(randomUUID()), 404, 'not_found');
    const { id: erased } = await saveFakeCustomer(api.superuser, { active: false });
    await api.superuser.query('update customer set erased_at = now() where id = $1', [erased]);
    await expectProblem(await add(erased), 400, 'invalid_request');
    const { rows } = await api.superuser.query('select from webhook_endpoint where customer_id = $1', [erased]);
    expect(rows).toEqual([]);
  });

  it("make no webhook endpoint of the operator's own with scopes: it would get all records of all customers", async () => {
    const url = 'https://scoped.example/hooks';
    await expectProblem(
      await send('POST', '/webhook-endpoints', { url, scopes: ['sms:read'] }),
      400,
      'invalid_request',
    );
    const { rows } = await api.superuser.query('select from webhook_endpoint where url = $1', [url]);
    expect(rows).toEqual([]);
  });

  it('show the secret of a webhook endpoint once', async () => {
    const [url, key] = ['https://erp.fjordlys.example/hooks', randomUUID()];
    const add = () => send('POST', '/webhook-endpoints', { customer_id: customer, url }, { 'idempotency-key': key });
    const added = (await (await add()).json()) as Reply;
    const rotated = await make('POST', `/webhook-endpoints/${added.id}/rotate-secret`);
    const secrets = [String(added.secret), String(rotated.secret)];
    expect(secrets).toEqual([expect.stringMatching(/^whsec_/), expect.stringMatching(/^whsec_/)]);
    expect(await (await add()).json()).toEqual({ ...added, secret: null });
    const texts = await Promise.all([
      ...['/webhook-endpoints', `/webhook-endpoints/${added.id}`, '/audit'].map((path) => make('GET', path)),
      make('PATCH', `/webhook-endpoints/${added.id}`, { description: 'ERP' }),
    ]);
    expect(secrets.filter((secret) => JSON.stringify(texts).includes(secret))).toEqual([]);
  });

  it("list customers' webhook endpoints and the operator's own, which have no customer", async () => {
    const [url, listed] = ['https://ours.example/hooks', (query: string) => make('GET', `/webhook-endpoints?${query}`)];
    const own = await make('POST', '/webhook-endpoints', { url, event_types: ['ticket.created'] });
    const theirs = await make('POST', '/webhook-endpoints', { customer_id: customer, url });
    expect(own).toMatchObject({ customer_id: '00000000-0000-0000-0000-000000000000', customer_name: '', scopes: null });
    expect(await listed('own=true')).toMatchObject({ data: [{ id: own.id }], total: 1 });
    expect(await listed(`customer_id=${customer}&limit=1`)).toMatchObject({ data: [{ id: theirs.id }] });
    await make('POST', `/webhook-endpoints/${own.id}/test`);
    const deliveries = await make('GET', `/webhook-deliveries?endpoint_id=${own.id}`);
    expect(deliveries).toMatchObject({ data: [{ event_type: 'webhook.test', state: 'pending' }], total: 1 });
    const refused = await send('POST', '/webhook-endpoints', {
      ...{ customer_id: customer, url, event_types: ['ticket.created'] },
    });
    expect(refused.status).toBe(400);
  });

  it('book no more than a billion NOK of credit at a time, nor deduct more', async () => {
    for (const amount of ['1000000000.000000000001', '5000000000', '-1000000001']) {
      const adjustment = { kind: 'manual_adjustment', amount_nok: amount, note: 'A slip of the hand' };
      const refused = await send('POST', `/customers/${customer}/ai/credit`, adjustment);
      expect([refused.status, ((await refused.json()) as Reply).detail]).toEqual([
        400,
        `${amount} is not from -1000000000 to 1000000000`,
      ]);
    }
  });

  it('set the shares of credit that customers are told of', async () => {
    const at = `/customers/${customer}/ai`;
    expect(await make('PATCH', at, { credit_thresholds: [90, 50] })).toMatchObject({ credit_thresholds: [50, 90] });
    expect(await make('PATCH', at, { credit_thresholds: null })).toMatchObject({ credit_thresholds: [80] });
    expect((await send('PATCH', at, { credit_thresholds: [100] })).status).toBe(400);
  });

  it('never show a provider key', async () => {
    const at = `/customers/${customer}/ai`;
    const reply = await send('PATCH', at, { provider_key: 'sk-secret-of-the-customer' });
    const texts = [
      await reply.text(),
      JSON.stringify(await make('GET', at)),
      JSON.stringify(await make('GET', '/audit')),
    ];
    expect(texts.filter((text) => text.includes('sk-secret'))).toEqual([]);
  });
});
