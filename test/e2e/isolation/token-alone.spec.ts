import { randomUUID } from 'node:crypto';
import { Controller, Get, Post } from '@nestjs/common';
import { AnyScope, CurrentCustomer } from '@platform/access';
import { type AuthenticatedCustomer } from '@platform/tokens';
import { CustomerContextService } from '@platform/context';
import { anyRow } from '@test/any-row';
import { createCaller, startApi, type TestApi } from '@test/api';
import { takeViolations } from '@test/conformance/violations';
import { saveFakeUsage } from '@test/factories/ai-usage.factory';
import { saveFakeInvoice } from '@test/factories/invoice.factory';
import { saveFakeDelivery } from '@test/factories/webhook.factory';
import { saveFakeService } from '@test/factories/service.factory';
import { declaredRoutes } from '@test/nest-routes';
import { withoutRowLevelSecurity } from '@test/without-row-level-security';

/** Returns the customer of a request, in both ways that code can get it. */
@Controller('who')
class WhoController {
  constructor(private readonly context: CustomerContextService) {}

  @Get()
  @AnyScope()
  async read(@CurrentCustomer() { customerId }: AuthenticatedCustomer) {
    await new Promise((resolve) => setImmediate(resolve));
    return { token: customerId, context: this.context.customerId };
  }

  @Post()
  @AnyScope()
  write(@CurrentCustomer() customer: AuthenticatedCustomer) {
    return this.read(customer);
  }
}

const NAMES = ['customer_id', 'customerId', 'customer', 'customer-id', 'tenant', 'app.customer_id', 'id', 'sub'];

/** The first isolation layer by itself: row level security is off, and the test asks for the identity, before any query names it. */
describe('the customer of a request', () => {
  let api: TestApi;
  let me: Awaited<ReturnType<typeof createCaller>>;
  let other: Awaited<ReturnType<typeof createCaller>>;
  beforeAll(async () => {
    // Every list with every attempt is more requests than a customer may make in a minute.
    const settings = { TRUST_PROXY: '127.0.0.1', RATE_LIMIT_REQUESTS_PER_MINUTE: '10000' };
    api = await startApi(settings, undefined, [WhoController]);
    await withoutRowLevelSecurity(api.superuser);
    [me, other] = await Promise.all([createCaller(api), createCaller(api)]);
    // Records of the other customer in every list, which a confused identity would show.
    const service = await saveFakeService(api.superuser, other.customer.id, { name: "another customer's" });
    for (const [table, columns, values] of [
      ['support_ticket', 'customer_id, id, title, body', [randomUUID(), 'Theirs', 'x']],
      [
        'sms_message',
        'customer_id, id, recipient, sender_id, message, segments, encoding, gateway',
        [randomUUID(), '+4790000000', 'Acme', 'Theirs', 1, 'GSM-7', '46elks'],
      ],
      ['ai_credit_request', 'customer_id, amount_nok, created_at', [1000, new Date()]],
      [
        'status_event',
        'customer_id, id, service_id, status, message, starts_at',
        [randomUUID(), service.id, 'outage', 'Theirs', new Date()],
      ],
    ] as const) {
      const places = values.map((_, index) => `$${index + 2}`).join(', ');
      await api.superuser.query(`insert into ${table} (${columns}) values ($1, ${places})`, [theirs(), ...values]);
    }
    await saveFakeInvoice(api.superuser, theirs());
    await saveFakeUsage(api.superuser, theirs(), { tokenId: other.token.id });
    await api.superuser.query(...(await anyRow(api.superuser, 'ai_ledger_entry', theirs())));
    await saveFakeDelivery(api.superuser, theirs());
    await api.superuser.query(`select app.record_event($1, 'ticket.replied', '{"id": "theirs"}', null)`, [theirs()]);
  });
  afterAll(() => api.stop());

  const theirs = () => other.customer.id;
  const both = (field: string, value: string) => [field, value] as const;

  /** Every way to pass another customer's id in a request with one's own token. */
  const attempts = (): [where: string, path: string, init: RequestInit][] => [
    ...NAMES.map((name): [string, string, RequestInit] => [`query ${name}`, `?${name}=${theirs()}`, {}]),
    ...NAMES.map((name): [string, string, RequestInit] => [`header ${name}`, '', { headers: { [name]: theirs() } }]),
    ...[
      'x-customer-id',
      'x-tenant-id',
      'x-user-id',
      'x-forwarded-user',
      'x-original-url',
      'x-http-method-override',
    ].map((name): [string, string, RequestInit] => [`header ${name}`, '', { headers: { [name]: theirs() } }]),
    ['cookie', '', { headers: { cookie: NAMES.map((name) => `${name}=${theirs()}`).join('; ') } }],
    ['token in the query', `?access_token=${other.token.token}&token=${other.token.token}`, {}],
    ['token in a cookie', '', { headers: { cookie: `access_token=${other.token.token}` } }],
    ['token in another header', '', { headers: { 'x-authorization': `Bearer ${other.token.token}` } }],
    ['proxy authorization', '', { headers: { 'proxy-authorization': `Bearer ${other.token.token}` } }],
    [
      'a query with a prototype',
      `?__proto__[customer_id]=${theirs()}&constructor[prototype][customer_id]=${theirs()}`,
      {},
    ],
    ['a repeated query', `?customer_id=${theirs()}&customer_id[]=${theirs()}`, {}],
  ];

  const bodies = (): [string, string][] => [
    ...NAMES.map((name) => both(`body ${name}`, JSON.stringify({ [name]: theirs() })) as [string, string]),
    ['body access_token', JSON.stringify({ access_token: other.token.token })],
    ['body __proto__', `{"__proto__":{"customer_id":"${theirs()}","customer":{"customerId":"${theirs()}"}}}`],
  ];

  it('is the one that the token belongs to, whatever else the request says', async () => {
    const mine = { token: me.customer.id, context: me.customer.id };
    for (const [where, query, init] of attempts()) {
      expect([where, await (await me.call(`/who${query}`, init)).json()]).toEqual([where, mine]);
    }
    for (const [where, body] of bodies()) {
      const reply = await me.call('/who', { method: 'POST', body, headers: { 'content-type': 'application/json' } });
      expect([where, await reply.json()]).toEqual([where, mine]);
    }
  });

  it('stays the same for the replies of every list', async () => {
    const paths = declaredRoutes(api.app, 'api/v1')
      .map(({ route }) => route)
      .filter((route) => /^GET \/api\/v1\/(?!who)[^:]*$/.test(route))
      .map((route) => route.slice('GET /api/v1'.length))
      // Models are the operator's: two customers may well have the same.
      .filter((path) => path !== '/ai/v1/models');
    expect(paths).toEqual(expect.arrayContaining(['/customer', '/invoices', '/ai', '/ai/credit-requests']));
    for (const path of paths) {
      const plain = await (await me.call(path)).text();
      // The other customer would get a different reply.
      expect(await (await other.call(path)).text()).not.toBe(plain);
      for (const [where, query, init] of attempts()) {
        const reply = await me.call(`${path}${query}`, init);
        expect([path, where, reply.status, await reply.text()]).toEqual([path, where, 200, plain]);
      }
    }
    // A row with any values violates openapi.json.
    takeViolations();
  });

  it('is not to be had by another customer’s id in the path', async () => {
    for (const path of [
      `/customer/${theirs()}`,
      `/customers/${theirs()}`,
      `/${theirs()}/customer`,
      `/customer;id=${theirs()}`,
    ]) {
      expect([path, (await me.call(path)).status]).toEqual([path, 404]);
    }
  });

  it('is not mixed up between requests that run at the same time', async () => {
    const answers = await Promise.all(
      Array.from({ length: 400 }, async (_, index) => {
        const { call, customer } = index % 2 === 0 ? me : other;
        const { token, context } = (await (await call('/who')).json()) as { token: string; context: string };
        return token === customer.id && context === customer.id;
      }),
    );
    expect(answers.every(Boolean)).toBe(true);
  });
});

/** A route without access metadata. */
@Controller('forgotten')
class ForgottenController {
  @Get()
  read(): string {
    return 'secret';
  }
}

describe('a route that declares no access', () => {
  it('is refused to everyone', async () => {
    const api = await startApi({}, undefined, [ForgottenController]);
    try {
      const { call } = await createCaller(api);
      expect((await call('/forgotten')).status).toBe(403);
      expect((await fetch(`${api.baseUrl}/forgotten`)).status).toBe(401);
    } finally {
      await api.stop();
    }
  });
});
