import type { Type } from '@nestjs/common';
import { AiUsageOperatorService } from '@domains/ai';
import { CreditRequestsOperatorService } from '@domains/credit-requests';
import { CustomersOperatorService } from '@domains/customers';
import { EventsOperatorService, WebhooksOperatorService } from '@domains/events';
import { InvoicesOperatorService } from '@domains/invoices';
import { ServicesOperatorService } from '@domains/services';
import { SmsOperatorService } from '@domains/sms';
import { StatusEventsOperatorService } from '@domains/status';
import { TicketsOperatorService } from '@domains/support';
import { AuditOperatorService } from '@platform/audit';
import type { InboxPage, InboxRequest, Listing, ListingRequest } from '@platform/pagination';
import { RefusalsOperatorService } from '@platform/refusals';
import { TokensOperatorService } from '@platform/tokens';
import { saveFakeCustomer } from '@test/factories/customer.factory';
import { saveFakeToken } from '@test/factories/service-token.factory';
import { logIn, startOperatorApi, type TestOperatorApi } from '@test/operator-api';

interface Filter {
  customerId?: string;
}

/** A list of the operator. */
interface List {
  table: string;
  /** The order of the command line's list. */
  order: string;
  rows(get: Get, filter: Filter, listing: ListingRequest): Promise<Listing<{ id: string | number }>>;
  page(get: Get, filter: Filter, request: InboxRequest): Promise<InboxPage<unknown>>;
  /** A value for each filter. */
  filters: Record<string, unknown>;
}
type Get = <Service>(service: Type<Service>) => Service;

const someone = '6b8f7f0a-4f0e-4a39-9d0c-7f0f3c2f8a10';
const now = new Date();
const NEWEST = 'created_at desc, id desc';

const LISTS: List[] = [
  {
    table: 'audit_log',
    order: 'id desc',
    rows: (get, filter, listing) => get(AuditOperatorService).list(filter, listing),
    page: (get, filter, request) => get(AuditOperatorService).inbox(filter, request),
    filters: { customerId: someone, action: 'token', by: 'kari', since: now, until: now },
  },
  {
    table: 'refused_request',
    order: 'id desc',
    rows: (get, filter, listing) => get(RefusalsOperatorService).list(filter, listing),
    page: (get, filter, request) => get(RefusalsOperatorService).inbox(filter, request),
    filters: {
      ...{ customerId: someone, requestId: 'r1', code: 'not_found', status: 404, fingerprint: '3f0c1d9e7d2a' },
      ...{ network: '192.0.2.0', since: now },
    },
  },
  {
    table: 'ai_reservation',
    order: 'resolved_at desc, id desc',
    rows: (get, { customerId }, listing) => get(AiUsageOperatorService).unknownOutcomes(customerId, listing),
    page: (get, { customerId }, request) => get(AiUsageOperatorService).unknownOutcomesInbox(customerId, request),
    filters: { customerId: someone },
  },
  {
    table: 'invoice',
    order: NEWEST,
    rows: (get, filter, listing) => get(InvoicesOperatorService).list(filter, listing),
    page: (get, filter, request) => get(InvoicesOperatorService).inbox(filter, request),
    filters: {
      ...{ customerId: someone, source: 'manual', status: 'open', dueBefore: '2026-12-01', overdue: true },
      ...{ search: 'N1' },
    },
  },
  {
    table: 'sms_message',
    order: 'id desc',
    rows: (get, filter, listing) => get(SmsOperatorService).log(filter as { customerId: string }, listing),
    page: (get, filter, request) => get(SmsOperatorService).inbox(filter, request),
    filters: { customerId: someone, status: 'failed', search: '900' },
  },
  {
    table: 'event',
    order: NEWEST,
    rows: (get, filter, listing) => get(EventsOperatorService).list(filter, listing),
    page: (get, filter, request) => get(EventsOperatorService).inbox(filter, request),
    filters: { customerId: someone, type: 'sms.failed' },
  },
  {
    table: 'webhook_endpoint',
    order: NEWEST,
    rows: (get, filter, listing) => get(WebhooksOperatorService).list(filter, listing),
    page: (get, filter, request) => get(WebhooksOperatorService).inbox(filter, request),
    filters: { customerId: someone, own: true },
  },
  {
    table: 'webhook_delivery',
    order: NEWEST,
    rows: (get, filter, listing) => get(WebhooksOperatorService).deliveries(filter, listing),
    page: (get, filter, request) => get(WebhooksOperatorService).deliveriesInbox(filter, request),
    filters: { customerId: someone, endpointId: someone, state: 'failed' },
  },
  {
    table: 'ai_credit_request',
    order: NEWEST,
    rows: (get, filter, listing) => get(CreditRequestsOperatorService).list(filter, listing),
    page: (get, filter, request) => get(CreditRequestsOperatorService).inbox(filter, request),
    filters: { customerId: someone, status: 'pending', search: '17' },
  },
  {
    table: 'support_ticket',
    order: NEWEST,
    rows: (get, filter, listing) => get(TicketsOperatorService).list(filter, listing),
    page: (get, filter, request) => get(TicketsOperatorService).inbox(filter, request),
    filters: {
      ...{ customerId: someone, status: 'open', priority: 'low', unanswered: true, assigned: 'kari' },
      ...{ unassigned: true, search: 'words' },
    },
  },
  {
    table: 'status_event',
    order: 'starts_at desc, id desc',
    rows: (get, filter, listing) => get(StatusEventsOperatorService).list(filter, listing),
    page: (get, filter, request) => get(StatusEventsOperatorService).inbox(filter, request),
    filters: { customerId: someone, present: true },
  },
];

describe('lists of the operator', () => {
  let api: TestOperatorApi;
  const customers: string[] = [];
  beforeAll(async () => {
    api = await startOperatorApi();
    for (const name of ['Adel', 'Bryn', 'Cato'])
      customers.push((await saveFakeCustomer(api.superuser, { name: `${name} Lister AS` })).id);
    await fillDatabase();
  });
  afterAll(() => api.stop());

  const get: Get = (service) => api.app.get(service, { strict: false });
  const idsOf = async ({ table, order }: List, customerId?: string) => {
    const { rows } = await api.superuser.query<{ id: string | number }>(
      `select id from ${table} where $1::uuid is null or customer_id = $1 order by ${order}`,
      [customerId],
    );
    return rows.map(({ id }) => String(id));
  };

  /** Three rows of each kind for each customer; the first two of one time. */
  async function fillDatabase(): Promise<void> {
    const sql = (text: string) => api.superuser.query(text);
    const rows = `customer c, (select n, now() - (n / 2) * interval '1 second' as moment from generate_series(2, 4) n) r`;
    await sql(`insert into customer_service (customer_id, type, name) select c.id, 'web', 'Web' from customer c`);
    await sql(`insert into audit_log (customer_id, id, actor, action, metadata, created_at)
      select c.id, app.new_id(), 'operator:kari', 'ticket.note', '{}', moment from ${rows}`);
    await sql(`insert into refused_request (customer_id, id, request_id, network, method, route, status, code, detail, duration_ms, created_at)
      select c.id, app.new_id(), 'r' || n, '192.0.2.0', 'GET', '/api/v1/status', 429, 'rate_limited', 'Too many', 1, moment from ${rows}`);
    await sql(
      `insert into ai_account (customer_id, month, month_usage) select c.id, to_char(now(), 'YYYY-MM'), 1 from customer c`,
    );
    await sql(`insert into ai_reservation (customer_id, id, state, amount, model, price_valid_from, input_tokens_bound, max_tokens, deadline,
        created_at, resolved_at)
      select c.id, gen_random_uuid(), 'outcome_unknown', n, 'claude-haiku-4-5', now(), 100, 100, now(), moment, moment from ${rows}`);
    await sql(`insert into invoice_number (source, type, number, source_id)
      select 'manual', 'invoice', c.customer_number || n, c.customer_number || n from ${rows}`);
    await sql(`insert into invoice (customer_id, id, source, source_id, number, status, currency, amount, amount_due, issue_date, created_at)
      select c.id, gen_random_uuid(), 'manual', c.customer_number || n, c.customer_number || n, 'open', 'NOK', 1, 1, current_date, moment
      from ${rows}`);
    await sql(`insert into sms_message (customer_id, id, recipient, sender_id, message, status, segments, encoding, gateway, created_at)
      select c.id, app.new_id(), '+4790000000', 'Fjordlys', 'Hello', 'delivered', 1, 'GSM-7', '46elks', moment from ${rows}`);
    await sql(`insert into event (customer_id, id, type, reference, position, created_at)
      select c.id, app.new_id(), 'invoice.created', '{"id": 17}', n, moment from ${rows}`);
    await sql(`insert into webhook_endpoint (customer_id, id, url, secret_ciphertext, created_at, updated_at)
      select c.id, gen_random_uuid(), 'https://erp.example/hooks', '\\x00', moment, now() from ${rows}`);
    await sql(`insert into webhook_delivery (customer_id, id, endpoint_id, event_customer_id, event_id, event_type, state, queued_at, created_at)
      select customer_id, app.new_id(), (select id from webhook_endpoint w where w.customer_id = e.customer_id limit 1), customer_id, id, type,
        'delivered', now(), created_at
      from event e`);
    await sql(`insert into ai_credit_request (customer_id, amount_nok, created_at, status, reason, decided_by, decided_at)
      select c.id, 500, moment, 'rejected', 'Too much', 'operator:ola', moment from ${rows}`);
    await sql(`insert into support_ticket (customer_id, id, title, body, created_at)
      select c.id, gen_random_uuid(), 'Ticket', 'words', moment from ${rows}`);
    // Those that begin last were announced first.
    await sql(`insert into status_event (customer_id, id, service_id, status, message, starts_at, created_at)
      select s.customer_id, gen_random_uuid(), s.id, 'degraded', 'Slow', moment, now() - moment + timestamptz '2026-01-01'
      from ${rows} join customer_service s on true where s.customer_id = c.id`);
  }

  it.each(LISTS)('read $table in parts, of all customers and of one', async (list) => {
    // Those of SMS are of one customer.
    for (const customerId of list.table === 'sms_message' ? [customers[1]] : [undefined, customers[1]]) {
      const filter = customerId === undefined ? {} : { customerId };
      const seen: string[] = [];
      let after: string | undefined;
      do {
        const part = await list.rows(get, filter, { limit: 2, after });
        seen.push(...part.rows.map(({ id }) => String(id)));
        after = part.next ?? undefined;
      } while (after !== undefined);
      expect(seen.length).toBeGreaterThan(1);
      expect(seen).toEqual(await idsOf(list, customerId));
    }
  });

  it.each(LISTS)('read $table behind no row of another customer', async (list) => {
    const [theirs] = await idsOf(list, customers[0]);
    const reading = list.rows(get, { customerId: customers[1] }, { limit: 2, after: theirs });
    await expect(reading).rejects.toThrow(`The list has no row with the id ${theirs}`);
  });

  it.each(LISTS)('of $table give cursors that are of no use under any other filter', async (list) => {
    const { nextCursor } = await list.page(get, {}, { limit: 1 });
    const request = { limit: 1, cursor: nextCursor ?? undefined };
    expect((await list.page(get, {}, request)).items).toHaveLength(1);
    for (const [name, value] of Object.entries(list.filters)) {
      const reading = list.page(get, { [name]: value }, request);
      await expect(reading).rejects.toThrow('cursor comes from another list or other filters');
    }
  });

  it.each<[string, (ids: string[]) => Promise<Map<string | number, unknown>>]>([
    ['support_ticket', (ids) => get(TicketsOperatorService).titlesOf(ids)],
    ['customer_service', (ids) => get(ServicesOperatorService).namesOf(ids.map(Number))],
    ['service_token', (ids) => get(TokensOperatorService).namesOf(ids)],
  ])('have names of those rows of %s that they show, and read no others', async (table, namesOf) => {
    await saveFakeToken(api.superuser, customers[0]!);
    await saveFakeToken(api.superuser, customers[1]!);
    const { rows } = await api.superuser.query<{ id: string | number }>(`select id from ${table}`);
    expect(rows.length).toBeGreaterThan(1);
    const { id } = rows[0]!;
    const unknown = table === 'customer_service' ? '2000000000' : someone;
    expect([...(await namesOf([String(id), unknown])).keys()]).toEqual([id]);
    expect((await namesOf([])).size).toBe(0);
  });

  it('find a refused token by its fingerprint in capital letters, too', async () => {
    const operator = await logIn(api, 'support');
    await api.superuser.query(`update refused_request set fingerprint = '3f0c1d9e7d2a' where request_id = 'r2'`);
    for (const digits of ['3f0c1d9e7d2a', '3F0C1D9E7D2A'])
      expect(await (await operator.call(`/requests?fingerprint=${digits}`)).json()).toMatchObject({ total: 3 });
  });

  it('count the customers that are found and not active, however many are', async () => {
    await api.superuser.query(
      `insert into customer (id, name, organization_number, customer_number, email, active)
       select gen_random_uuid(), 'Mange Lister', '123456785', 'M' || n, 'it@example.com', n > 1 from generate_series(1, 10002) n`,
    );
    const service = get(CustomersOperatorService);
    const found = (active?: boolean) => service.inbox({ search: 'mange', active }, { limit: 1 });
    expect(await found()).toMatchObject({ total: 10_000, totalIsExact: false });
    expect(await found(true)).toMatchObject({ total: 10_000, totalIsExact: false });
    expect(await found(false)).toMatchObject({ total: 1, totalIsExact: true });
    // By number, also behind one that is not found.
    const { rows, next } = await service.list({ search: 'mange' }, { limit: 2, after: 'M10000' });
    expect(rows.map(({ customerNumber }) => customerNumber)).toEqual(['M10001', 'M10002']);
    expect(next).toBe('M10002');
  });
});
