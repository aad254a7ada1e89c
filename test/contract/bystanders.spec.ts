import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { customerColumn, customerOwnedTables } from '@test/any-row';
import { saveFakeInvoice } from '@test/factories/invoice.factory';
import { saveFakeToken } from '@test/factories/service-token.factory';
import { saveFakeService } from '@test/factories/service.factory';
import { saveFakeDelivery } from '@test/factories/webhook.factory';
import { createFullCaller, type FullApi, startFullApi } from '@test/full-api';
import { logIn, startOperatorApi, type TestOperator, type TestOperatorApi } from '@test/operator-api';
import { timedId } from '@test/timed-id';

/** A request, in which names stand for ids, its body, and the rows that it changes or removes: no others of any customer. */
type Change = [request: string, body: object | undefined, changes: string[]];

const MESSAGE = { messages: [{ role: 'user', content: 'Hello' }], max_tokens: 20 };
const REFUND = { kind: 'refund', amount_nok: '12.50', note: 'Calls of 3 March' };

const BY_CUSTOMER: Change[] = [
  ['POST /support/tickets', { title: 'Printer', body: 'On fire' }, []],
  ['POST /support/tickets/TICKET/replies', { body: 'Still' }, ['support_ticket TICKET']],
  ['POST /support/tickets/TICKET/close', undefined, ['support_ticket TICKET']],
  ['POST /ai/credit-requests', { amount_nok: 500 }, []],
  ['POST /ai/messages', MESSAGE, ['ai_account']],
  ['POST /sms/send', { to: '+4790000000', message: 'Hello' }, []],
  ['POST /webhooks/endpoints', { url: 'https://x.example/' }, []],
  ['PATCH /webhooks/endpoints/ENDPOINT', { enabled: false }, ['webhook_endpoint ENDPOINT']],
  ['DELETE /webhooks/endpoints/ENDPOINT', undefined, ['webhook_endpoint ENDPOINT']],
  ['POST /webhooks/endpoints/ENDPOINT/rotate-secret', undefined, ['webhook_endpoint ENDPOINT']],
  ['POST /webhooks/endpoints/ENDPOINT/test', undefined, []],
  ['POST /webhooks/endpoints/ENDPOINT/redeliver', { since: '2026-01-01T00:00:00Z' }, ['webhook_delivery DELIVERY']],
  ['POST /webhooks/deliveries/DELIVERY/redeliver', undefined, ['webhook_delivery DELIVERY']],
];
const BY_OPERATOR: Change[] = [
  ['PATCH /customers/CUSTOMER', { name: 'Another AS' }, ['customer']],
  ['PATCH /customers/CUSTOMER/limits', { requests_per_minute: 90 }, ['customer']],
  ['POST /customers/CUSTOMER/deactivate', undefined, ['customer']],
  ['PATCH /customers/CUSTOMER/ai', { included_nok: 2000 }, ['ai_account', 'ai_settings', 'customer_service']],
  ['POST /customers/CUSTOMER/ai/credit', REFUND, ['ai_account']],
  ['PATCH /customers/CUSTOMER/sms', { enabled: false }, ['sms_settings']],
  ['POST /credit-requests/CREDIT_REQUEST/approve', {}, ['ai_account', 'ai_credit_request CREDIT_REQUEST']],
  ['POST /credit-requests/CREDIT_REQUEST/reject', { reason: 'No' }, ['ai_credit_request CREDIT_REQUEST']],
  ['POST /tickets/TICKET/reply', { body: 'We look into it' }, ['support_ticket TICKET']],
  ['POST /tickets/TICKET/note', { body: 'Waits' }, []],
  ['POST /tickets/TICKET/assign', {}, []],
  ['POST /tickets/TICKET/set-status', { status: 'resolved' }, ['support_ticket TICKET']],
  [
    'POST /invoices',
    { customer_id: 'CUSTOMER', number: 'N-1', amount_nok: 1, issue_date: '2026-11-20', due_date: '2026-12-04' },
    [],
  ],
  ['POST /invoices/INVOICE/set-status', { status: 'paid' }, ['invoice INVOICE']],
  ['POST /billing-accounts/unlink', { customer_id: 'CUSTOMER', source: 'stripe' }, ['billing_account', 'invoice']],
  ['POST /services', { customer_id: 'CUSTOMER', type: 'hosting', name: 'Web' }, []],
  ['PATCH /services/SERVICE', { status: 'suspended' }, ['customer_service SERVICE']],
  ['POST /status-events/STATUS_EVENT/end', undefined, ['status_event STATUS_EVENT']],
  ['POST /tokens', { customer_id: 'CUSTOMER', scopes: ['ai:read'], name: 'ERP' }, []],
  ['POST /tokens/TOKEN/rotate', { grace_hours: 1 }, ['service_token TOKEN']],
  ['POST /tokens/TOKEN/rename', { name: 'ERP' }, ['service_token TOKEN']],
  ['POST /tokens/TOKEN/deactivate', undefined, ['service_token TOKEN']],
  ['PATCH /webhook-endpoints/ENDPOINT', { enabled: false }, ['webhook_endpoint ENDPOINT']],
  ['DELETE /webhook-endpoints/ENDPOINT', undefined, ['webhook_endpoint ENDPOINT']],
  ['POST /webhook-endpoints/ENDPOINT/rotate-secret', undefined, ['webhook_endpoint ENDPOINT']],
  ['POST /webhook-endpoints/ENDPOINT/redeliver', { since: '2026-01-01T00:00:00Z' }, ['webhook_delivery DELIVERY']],
  ['POST /webhook-deliveries/DELIVERY/redeliver', undefined, ['webhook_delivery DELIVERY']],
];

/** Changes of no customer's rows, or of all of a customer's: other tests have them. */
const OTHERS = [
  /^\/(login|logout|sessions|passkeys|accounts|prices|announcements|invoice-syncs)\b/,
  /^\/customers(\/import|\/\{id\}\/(export|erase|activate))?$/,
  /^\/ai\/v1\//,
  /^\/(tokens\/find|status-events|billing-accounts|webhook-endpoints|webhook-endpoints\/\{id\}\/test)$/,
];

/** Counts and times that any request of a customer's changes. */
const COUNTS = ['service_token_use', 'stored_bytes'];
/** What tells rows of a customer's apart, in the first of these that a table has. */
const KEYS = ['id', 'ticket_id', 'source', 'day', 'month', 'customer_id'];

/** A row of a customer's. */
interface Row {
  table: string;
  customer: string;
  id: string;
  key: string;
  text: string;
}

describe('A change', () => {
  let full: FullApi;
  let operatorApi: TestOperatorApi;
  let operator: TestOperator;
  let tables: string[];
  beforeAll(async () => {
    full = await startFullApi();
    operatorApi = await startOperatorApi({}, full.api.database);
    operator = await logIn(operatorApi, 'admin');
    tables = await customerOwnedTables(full.api.superuser);
  });
  afterAll(async () => {
    await operatorApi.stop();
    await full.stop();
  });

  /** A customer with two records of each kind. @returns the names of the first ones, by their ids */
  async function prepare() {
    const { superuser } = full.api;
    const caller = await createFullCaller(full);
    const { id: customer } = caller.customer;
    const names = new Map<string, string>([[customer, 'CUSTOMER']]);
    for (const part of ['', 'OTHER_']) {
      const service = await saveFakeService(superuser, customer);
      const invoice = await saveFakeInvoice(superuser, customer);
      const token = await saveFakeToken(superuser, customer);
      const { endpointId, deliveryId } = await saveFakeDelivery(superuser, customer);
      const [ticket, event] = [randomUUID(), timedId(new Date())];
      await superuser.query(
        `insert into support_ticket (customer_id, id, title, body) values ($1, $2, 'Toner', 'Empty')`,
        [customer, ticket],
      );
      await superuser.query(
        `insert into status_event (customer_id, id, service_id, status, message, starts_at)
         values ($1, $2, $3, 'outage', 'Down', now() - interval '1 hour')`,
        [customer, event, service.id],
      );
      const { rows } = await superuser.query<{ id: number }>(
        `insert into ai_credit_request (customer_id, amount_nok, created_at) values ($1, 500, now()) returning id`,
        [customer],
      );
      const made = {
        ...{ SERVICE: service.id, INVOICE: invoice.id, TOKEN: token.id, ENDPOINT: endpointId, DELIVERY: deliveryId },
        ...{ TICKET: ticket, STATUS_EVENT: event, CREDIT_REQUEST: rows[0]?.id },
      };
      for (const [name, id] of Object.entries(made)) names.set(String(id), part + name);
    }
    return { ...caller, names };
  }

  /** All rows of customers, by table and key. */
  async function rowsOf(customers: string[]): Promise<Map<string, Row>> {
    const selects = tables.map(
      (table) =>
        `select '${table}' as table, ${customerColumn(table)} as customer, to_jsonb(t) as row from ${table} t
         where ${customerColumn(table)} = any ($1)`,
    );
    const { rows } = await full.api.superuser.query<Pick<Row, 'table' | 'customer'> & { row: Record<string, string> }>(
      selects.join(' union all '),
      [customers],
    );
    const known = rows.map(({ table, customer, row }): Row => {
      const id = String(KEYS.map((name) => row[name]).find((value) => value !== undefined));
      return { table, customer, id, key: [table, customer, id].join(), text: JSON.stringify(row) };
    });
    return new Map(known.map((row) => [row.key, row]));
  }

  /** Sends a request about one of two customers. @returns what became of the rows of both */
  async function changedBy(by: 'customer' | 'operator', request: string, body: object | undefined) {
    const [one, other] = [await prepare(), await prepare()];
    const customers = [one.customer.id, other.customer.id];
    const ids = new Map([...one.names].map(([id, name]) => [name, id]));
    const named = (text: string) => text.replace(/\b[A-Z]{4,}\w*\b/g, (name) => ids.get(name) ?? name);
    const [method = '', path = ''] = request.split(' ');
    const before = await rowsOf(customers);
    const reply = await (by === 'customer' ? one : operator).call(named(path), {
      method,
      ...(body && { body: named(JSON.stringify(body)), headers: { 'content-type': 'application/json' } }),
    });
    const after = await rowsOf(customers);
    const isOfBoth = ({ table, customer }: Row) => customer !== one.customer.id || !COUNTS.includes(table);
    const changed = [...before.values()].filter((row) => after.get(row.key)?.text !== row.text).filter(isOfBoth);
    const added = [...after.values()].filter(({ key }) => !before.has(key)).filter(isOfBoth);
    const nameOf = ({ table, customer, id }: Row) =>
      customer === one.customer.id
        ? [table, one.names.get(id)].filter((part) => part !== undefined && part !== 'CUSTOMER').join(' ')
        : `${table} of the other customer`;
    return {
      succeeded: reply.ok || (await reply.text()),
      changed: changed.map(nameOf).sort(),
      addedToOther: added.map(nameOf).filter((name) => name.endsWith('of the other customer')),
    };
  }

  it.each([
    ['openapi.json', BY_CUSTOMER],
    ['apps/operator-api/openapi.json', BY_OPERATOR],
  ])('that %s has is among those below', (document, changes) => {
    const { paths } = JSON.parse(readFileSync(document, 'utf8')) as { paths: Record<string, object> };
    const known = changes.map(([request]) => request.replace(/[A-Z]{4,}\w*$|[A-Z]{5,}\w*(?=\/)/, '{id}'));
    const missing = Object.entries(paths)
      .filter(([path]) => !OTHERS.some((other) => other.test(path)))
      .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`))
      .filter((request) => /^(POST|PUT|PATCH|DELETE) /.test(request) && !known.includes(request));
    expect(missing).toEqual([]);
  });

  it.each(BY_CUSTOMER)('of the customer concerns nothing else: %s', async (request, body, changed) => {
    expect(await changedBy('customer', request, body)).toEqual({ succeeded: true, changed, addedToOther: [] });
  });

  it.each(BY_OPERATOR)('of the operator concerns nothing else: %s', async (request, body, changed) => {
    expect(await changedBy('operator', request, body)).toEqual({ succeeded: true, changed, addedToOther: [] });
  });
});
