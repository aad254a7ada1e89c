import { randomBytes } from 'node:crypto';
import { CustomerContextService } from '@platform/context';
import { CreditRequestsService } from '@domains/credit-requests';
import { SmsLogService } from '@domains/sms';
import { TicketsService } from '@domains/support';
import { createCaller, startApi, type TestApi } from '@test/api';
import { expectProblem } from '@test/expect-problem';
import { saveFakeUsage } from '@test/factories/ai-usage.factory';
import { saveFakeBillingAccount, saveFakeInvoice } from '@test/factories/invoice.factory';
import { saveFakeService } from '@test/factories/service.factory';
import { saveFakeDelivery, saveFakeEndpoint } from '@test/factories/webhook.factory';
import { declaredRoutes } from '@test/nest-routes';
import { setConnectionsTo, withoutRowLevelSecurity } from '@test/without-row-level-security';

/** The second isolation layer by itself, on routes that name a row: row level security is off. */
describe('queries by id name the customer', () => {
  let api: TestApi;
  let me: Awaited<ReturnType<typeof createCaller>>;
  let other: Awaited<ReturnType<typeof createCaller>>;
  beforeAll(async () => {
    api = await startApi({
      STRIPE_URL: 'http://127.0.0.1:1',
      STRIPE_SECRET_KEY: 'sk_test_1',
      SECRETS_KEY: randomBytes(32).toString('base64'),
    });
    [me, other] = await Promise.all([createCaller(api), createCaller(api)]);
    await withoutRowLevelSecurity(api.superuser);
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => api.stop());

  async function addCreditRequest(customerId: string): Promise<number> {
    const { rows } = await api.superuser.query<{ id: number }>(
      'insert into ai_credit_request (customer_id, amount_nok, created_at) values ($1, 1000, now()) returning id',
      [customerId],
    );
    return rows[0]?.id ?? 0;
  }
  const addUsage = async (customerId: string) => (await saveFakeUsage(api.superuser, customerId)).id;
  // Its PDF is at a billing source that is not running: a request that passes the look-up gets 503.
  const addInvoice = async (customerId: string) => {
    await saveFakeBillingAccount(api.superuser, customerId, 'stripe', 'cus_1');
    return (
      await saveFakeInvoice(api.superuser, customerId, { source: 'stripe', sourceId: 'in_1', pdfReference: 'in_1' })
    ).id;
  };

  const addTicket = async (customerId: string) => {
    const { rows } = await api.superuser.query<{ id: string }>(
      `insert into support_ticket (customer_id, id, title, body) values ($1, gen_random_uuid(), 'a', 'b') returning id`,
      [customerId],
    );
    return rows[0]?.id ?? '';
  };
  const addSms = async (customerId: string) => {
    const { rows } = await api.superuser.query<{ id: string }>(
      `insert into sms_message (customer_id, id, recipient, sender_id, message, segments, encoding, gateway)
       values ($1, gen_random_uuid(), '+4790000000', 'Acme', 'Hello', 1, 'GSM-7', '46elks') returning id`,
      [customerId],
    );
    return rows[0]?.id ?? '';
  };

  const addEndpoint = (customerId: string) => saveFakeEndpoint(api.superuser, customerId);

  /** Every route with a row's id, and a function that stores such a row. New routes must be added here. */
  const ROUTES: Record<string, (customerId: string) => Promise<string | number>> = {
    'GET /ai/credit-requests/:id': addCreditRequest,
    'GET /ai/usage/:id': addUsage,
    'GET /invoices/:id': async (customerId) => (await saveFakeInvoice(api.superuser, customerId)).id,
    'GET /invoices/:id/pdf': addInvoice,
    'GET /sms/log/:id': addSms,
    'GET /support/tickets/:id': addTicket,
    'POST /support/tickets/:id/replies': addTicket,
    'POST /support/tickets/:id/close': addTicket,
    'GET /webhooks/endpoints/:id': addEndpoint,
    'PATCH /webhooks/endpoints/:id': addEndpoint,
    'DELETE /webhooks/endpoints/:id': addEndpoint,
    'POST /webhooks/endpoints/:id/rotate-secret': addEndpoint,
    'POST /webhooks/endpoints/:id/test': addEndpoint,
    'POST /webhooks/endpoints/:id/redeliver': addEndpoint,
    'POST /webhooks/deliveries/:id/redeliver': async (customerId) =>
      (await saveFakeDelivery(api.superuser, customerId)).deliveryId,
  };

  it('is about every route that has an id', () => {
    const declared = declaredRoutes(api.app, 'api/v1').map(({ route }) => route.replace('/api/v1', ''));
    // A model is the operator's, and no customer's row.
    const named = declared.filter((path) => path.includes(':') && path !== 'GET /ai/v1/models/:id');
    expect(named.sort()).toEqual(Object.keys(ROUTES).sort());
  });

  it.each(Object.entries(ROUTES))("so that %s finds one's own row and no other customer's", async (route, add) => {
    const [mine, theirs] = [await add(me.customer.id), await add(other.customer.id)];
    const [method = '', path = ''] = route.split(' ');
    const body = {
      body: JSON.stringify({ body: 'Not mine', since: '2026-01-01T00:00:00Z' }),
      headers: { 'content-type': 'application/json' },
    };
    const at = (id: string | number) =>
      me.call(path.replace(':id', String(id)), { method, ...(['POST', 'PATCH'].includes(method) ? body : {}) });
    await expectProblem(await at(theirs), 404, 'not_found');
    expect((await at(mine)).status).not.toBe(404);
  });

  it("so that a write leaves another customer's ticket as it is, also on a connection set to that customer", async () => {
    const [ticket, message] = [await addTicket(other.customer.id), await addSms(other.customer.id)];
    const tickets = api.app.get(TicketsService, { strict: false });
    setConnectionsTo(api.app, other.customer.id);
    await api.app.get(CustomerContextService).run(me.customer.id, async () => {
      await expect(tickets.reply('token:x', ticket, 'Not mine')).rejects.toMatchObject({ code: 'not_found' });
      await expect(tickets.close('token:x', ticket)).rejects.toMatchObject({ code: 'not_found' });
      await expect(tickets.find(ticket)).rejects.toMatchObject({ code: 'not_found' });
      const log = api.app.get(SmsLogService, { strict: false });
      await expect(log.find(message)).rejects.toMatchObject({ code: 'not_found' });
    });
    const { rows } = await api.superuser.query(
      `select t.status, (select count(*)::int from support_ticket_reply r where (r.customer_id, r.ticket_id) = (t.customer_id, t.id)) as replies
       from support_ticket t where t.id = $1`,
      [ticket],
    );
    expect(rows).toEqual([{ status: 'open', replies: 0 }]);
  });

  it("so that a ticket can't be tied to another customer's service, also on a connection set to that customer", async () => {
    const { id } = await saveFakeService(api.superuser, other.customer.id);
    for (const set of [false, true]) {
      if (set) setConnectionsTo(api.app, other.customer.id);
      const reply = await me.call('/support/tickets', {
        method: 'POST',
        body: JSON.stringify({ title: 'Theirs', body: 'Not mine', service_id: id }),
        headers: { 'content-type': 'application/json' },
      });
      await expectProblem(reply, 404, 'not_found');
    }
    expect((await api.superuser.query(`select from support_ticket where title = 'Theirs'`)).rowCount).toBe(0);
  });

  it('so that a draft is no invoice yet, neither listed nor its PDF opened', async () => {
    const { customer, call } = await createCaller(api);
    await saveFakeBillingAccount(api.superuser, customer.id, 'stripe', 'cus_of_drafts');
    const save = (status: 'draft' | 'open', sourceId: string) =>
      saveFakeInvoice(api.superuser, customer.id, { source: 'stripe', status, sourceId, pdfReference: sourceId });
    const [draft, issued] = [await save('draft', 'in_2'), await save('open', 'in_3')];
    const { data } = (await (await call('/invoices')).json()) as { data: { id: string }[] };
    expect(data.map(({ id }) => id)).toEqual([issued.id]);
    await expectProblem(await call(`/invoices/${draft.id}/pdf`), 404, 'not_found');
    await expectProblem(await call(`/invoices/${issued.id}/pdf`), 503, 'service_unavailable');
  });

  it("so that a connection set to another customer still finds one's own", async () => {
    const [mine, theirs] = [await addCreditRequest(me.customer.id), await addCreditRequest(other.customer.id)];
    const requests = api.app.get(CreditRequestsService, { strict: false });
    setConnectionsTo(api.app, other.customer.id);
    await api.app.get(CustomerContextService).run(me.customer.id, async () => {
      expect(await requests.find(mine)).toMatchObject({ id: mine });
      await expect(requests.find(theirs)).rejects.toMatchObject({ code: 'not_found' });
    });
  });

  it("so that a service has its own events alone, though another customer's had the same number", async () => {
    const service = await saveFakeService(api.superuser, me.customer.id);
    await api.superuser.query(
      `insert into customer_service (customer_id, id, type, name, config) overriding system value values ($1, $2, 'a', 'b', '{}')`,
      [other.customer.id, service.id],
    );
    for (const [customerId, message] of [
      [me.customer.id, 'mine'],
      [other.customer.id, 'theirs'],
    ])
      await api.superuser.query(
        `insert into status_event (customer_id, id, service_id, status, message, starts_at)
         values ($1, gen_random_uuid(), $2, $3, $4, now())`,
        [customerId, service.id, message === 'mine' ? 'maintenance' : 'outage', message],
      );
    const { data } = (await (await me.call('/status')).json()) as { data: object[] };
    expect(data).toMatchObject([{ service_id: service.id, status: 'maintenance', events: [{ message: 'mine' }] }]);
  });

  it("so that a thread has neither the operator's notes nor another ticket's or customer's replies", async () => {
    const addReply = (customerId: string, ticket: string, body: string, internal: boolean) =>
      api.superuser.query(
        `insert into support_ticket_reply (customer_id, id, ticket_id, author, internal, body, created_at)
         values ($1, gen_random_uuid(), $2, 'operator', $3, $4, now())`,
        [customerId, ticket, internal, body],
      );
    // As if ids could be equal: only the customer identifies the reply.
    await api.superuser.query('alter table support_ticket_reply drop constraint support_ticket_reply_ticket_fk');
    const [ticket, second] = [await addTicket(me.customer.id), await addTicket(me.customer.id)];
    await addReply(me.customer.id, ticket, 'answer', false);
    await addReply(me.customer.id, ticket, 'note', true);
    await addReply(me.customer.id, second, 'answer to the second', false);
    await addReply(other.customer.id, ticket, "another customer's", false);
    const { data } = (await (await me.call('/support/tickets')).json()) as {
      data: { id: string; replies: { body: string }[] }[];
    };
    const bodies = Object.fromEntries(data.map(({ id, replies }) => [id, replies.map(({ body }) => body)]));
    expect(bodies).toMatchObject({ [ticket]: ['answer'], [second]: ['answer to the second'] });
    const one = await (await me.call(`/support/tickets/${ticket}`)).json();
    expect(one).toMatchObject({ replies: [{ body: 'answer' }], reply_count: 1 });
    const closed = await (await me.call(`/support/tickets/${ticket}/close`, { method: 'POST' })).json();
    expect(closed).toMatchObject({ status: 'closed', replies: [{ body: 'answer' }], reply_count: 1 });
  });
});
