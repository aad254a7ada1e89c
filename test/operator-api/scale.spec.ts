import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { Client } from 'pg';
import { CustomerLookupOperatorService } from '@domains/customers';
import { NO_CUSTOMER } from '@platform/context';
import { logIn, startOperatorApi, type TestOperator, type TestOperatorApi } from '@test/operator-api';

/** `npm run accept:operator-scale`: 100,000, with ten times as many rows of usage, and of the audit log. */
const CUSTOMERS = Number(process.env.ACCEPT_CUSTOMERS ?? 300);
const SAMPLES = Number(process.env.ACCEPT_SAMPLES ?? 2);
/** At full size, of 95 in a hundred requests of each list. */
const MOST_MS = 300;

/** Today's figures of the present are kept for seconds: each request for them is one that comes later, and reads them anew. */
const LONGER_THAN_KEPT_MS = 5000;

/** A customer's records are the busiest customer's in one of ten. */
const OWNER = `case when customer_number::int % 10 = 0 then (select id from customer order by customer_number limit 1) else id end`;
const LONG_AGO = new Date(Date.now() - 15 * 86_400_000).toISOString();
const A_DAY_AGO = new Date(Date.now() - 86_400_000).toISOString();

/** Records as after some years: customers with their numbers from 1 on, each with its tickets, calls, events, … */
async function fillDatabase(superuser: Client, me: string): Promise<void> {
  const sql = (text: string) => superuser.query(text, [CUSTOMERS]);
  await sql(`insert into customer (id, name, organization_number, customer_number, email, created_at)
    select gen_random_uuid(), 'Company ' || md5(n::text), '123456785', n::text, 'it' || n || '@example.com', now() - n * interval '1 minute'
    from generate_series(1, $1) n`);
  await sql(`insert into service_token (id, customer_id, token_hash, scopes, name)
    select gen_random_uuid(), id, sha256(customer_number::bytea), array['ai:read'], 'ERP ' || customer_number from customer where $1 > 0`);
  await sql(`insert into customer_service (customer_id, type, name)
    select id, type, type || ' of ' || customer_number
    from customer, unnest(array['ai', case customer_number::int % 3 when 0 then 'SMS' else 'sms' end]) type where $1 > 0`);
  // One in a thousand has not ended.
  await sql(`insert into status_event (customer_id, id, service_id, status, message, starts_at, ends_at, created_at)
    select customer_id, gen_random_uuid(), id, 'degraded', 'Slow answers', now() - id * interval '1 minute',
      case when id % 1000 = 0 then null else now() - (id - 1) * interval '1 minute' end, now() - id * interval '1 minute'
    from customer_service where $1 > 0 and type = 'ai'`);

  await sql(`insert into operator_account (id, email, name, role)
    select gen_random_uuid(), name || '@example.com', name, 'support'
    from unnest(array['kari', 'ola'] || array(select 'person' || n from generate_series(1, 50) n)) name where $1 > 0`);
  await sql(`insert into support_ticket (customer_id, id, title, body, status, priority, created_at, updated_at)
    select ${OWNER}, gen_random_uuid(), 'Ticket ' || customer_number, repeat('words about a fault ', 10),
      (array['open', 'pending', 'resolved', 'closed'])[1 + customer_number::int % 4],
      (array['low', 'normal', 'high', 'urgent'])[1 + customer_number::int / 4 % 4], created_at, created_at
    from customer where $1 > 0`);
  await sql(`insert into support_ticket_reply (customer_id, id, ticket_id, author, body, created_at)
    select customer_id, gen_random_uuid(), id, 'operator', repeat('an answer with words ', 10), created_at from support_ticket where $1 > 0`);
  // Every third one is assigned: one in a thousand to the person who looks.
  await superuser.query(
    `insert into support_ticket_assignment (customer_id, ticket_id, assignee)
     select customer_id, id, case when n % 1000 = 0 then $1 when n % 2 = 0 then 'ola' else 'person' || n % 50 end
     from (select customer_id, id, right(title, -7)::int n from support_ticket) t where n % 3 = 0 or n % 1000 = 0`,
    [me],
  );

  await sql(`insert into invoice_number (source, type, number, source_id)
    select 'manual', 'invoice', 'N' || n, 'N' || n from generate_series(1, $1) n`);
  await sql(`insert into invoice (customer_id, id, source, source_id, number, status, currency, amount, amount_due, issue_date, due_date, created_at)
    select id, gen_random_uuid(), 'manual', 'N' || customer_number, 'N' || customer_number,
      (array['open', 'paid'])[1 + customer_number::int % 2], 'NOK', 10000, 10000, current_date, current_date - 1, created_at
    from customer where $1 > 0`);
  await sql(`insert into billing_account (customer_id, source, source_customer_id)
    select id, 'stripe', 'cus_' || customer_number from customer where $1 > 0`);
  await sql(`insert into invoice_sync (customer_id, source, due_at, failures, failing_since)
    select id, 'stripe', created_at, case when customer_number::int % 100 = 0 then 3 else 0 end,
      case when customer_number::int % 100 = 0 then now() end from customer where $1 > 0`);
  // The newest two of a hundred are not decided: in the order of their age, behind all others.
  await sql(`insert into ai_credit_request (customer_id, amount_nok, created_at, status, reason, decided_by, decided_at)
    select id, 500, created_at, case when is_new then 'pending' else 'rejected' end, case when is_new then null else 'Too much' end,
      case when is_new then null else 'operator:ola' end, case when is_new then null else created_at end
    from (select *, customer_number::int <= $1 / 50 as is_new from customer) c`);

  await sql(`insert into ai_account (customer_id, month, month_usage)
    select id, to_char(now(), 'YYYY-MM'), 1 from customer where $1 > 0`);
  await sql(`insert into ai_model_price (model, valid_from, input, cache_write_5m, cache_write_1h, cache_read, output)
    select 'model-' || n, now() + (age - 2) * interval '10 days', 1, 1, 1, 1, 1
    from generate_series(1, 300) n, generate_series(0, 3) age where $1 > 0`);
  // A tenth of all calls is the busiest customer's.
  await sql(`insert into ai_usage (customer_id, id, provider, model, input_tokens, cache_write_5m_tokens, cache_write_1h_tokens,
      cache_read_tokens, output_tokens, cost, paid_from_included, created_at)
    select case when n % 10 = 0 then (select id from customer order by customer_number limit 1) else c.id end,
      app.new_id(), 'anthropic', 'claude-haiku-4-5', 100, 0, 0, 0, 50, 0.01, 0.01, now()
    from customer c, generate_series(1, 10) n where $1 > 0`);
  await sql(`insert into ai_ledger_entry (customer_id, sequence, kind, bucket, amount, balance_after, month, actor, created_at)
    select (select id from customer order by customer_number limit 1), n, case when n % 1000 = 0 then 'refund' else 'usage' end,
      'included', 0.01, 1, to_char(now(), 'YYYY-MM'), 'system', now()
    from generate_series(1, $1) n`);
  await sql(`insert into ai_usage_day (customer_id, day, model, token_id, calls, input_tokens, cache_write_5m_tokens, cache_write_1h_tokens,
      cache_read_tokens, output_tokens, cost, uncovered, paid_from_included, paid_from_purchased)
    select c.id, current_date - n, 'claude-haiku-4-5', gen_random_uuid(), 10, 1000, 0, 0, 0, 500, 0.1, 0, 0.1, 0
    from customer c, generate_series(0, 9) n where $1 > 0`);
  await sql(`insert into ai_reservation (customer_id, id, state, amount, model, price_valid_from, input_tokens_bound, max_tokens, deadline,
      created_at, resolved_at)
    select id, gen_random_uuid(), 'outcome_unknown', 0.1, 'claude-haiku-4-5', now(), 100, 100, now(), created_at, created_at
    from customer where $1 > 0 and customer_number::int % 100 = 0`);
  // Each at a time of its own: of rows with one time PostgreSQL expects other plans.
  const moment = `now() - customer_number::int * interval '1 second'`;
  await sql(`insert into sms_message (customer_id, id, recipient, sender_id, message, status, segments, encoding, gateway, created_at)
    select id, app.first_id(${moment}), '+4790000000', 'Fjordlys', 'Hello', 'delivered', 1, 'GSM-7', '46elks', ${moment}
    from customer where $1 > 0`);

  await sql(`insert into webhook_endpoint (customer_id, id, url, secret_ciphertext, created_at, updated_at)
    select id, gen_random_uuid(), 'https://erp.example/hooks', '\\x00', ${moment}, now() from customer where $1 > 0`);
  await sql(`insert into event (customer_id, id, type, reference, position, created_at)
    select ${OWNER}, app.first_id(${moment}), (array['invoice.created', 'ticket.replied', 'sms.delivered'])[1 + customer_number::int % 3],
      '{"id": 17}', customer_number::int, ${moment}
    from customer where $1 > 0`);
  // To the endpoint of the owner, and to the operator's own; one in a thousand has failed.
  const deliveries = (owner: string, endpoint: string, from: string) =>
    sql(`insert into webhook_delivery (customer_id, id, endpoint_id, event_customer_id, event_id, event_type, state, queued_at, created_at)
    select ${owner}, app.first_id(event.created_at), ${endpoint}, event.customer_id, event.id, event.type,
      case when event.position % 1000 = 0 then 'failed' else 'delivered' end, now(), event.created_at
    from ${from} where $1 > 0`);
  await deliveries('event.customer_id', 'endpoint.id', 'event join webhook_endpoint endpoint using (customer_id)');
  const own = randomUUID();
  await sql(`insert into webhook_endpoint (customer_id, id, url, secret_ciphertext, created_at, updated_at)
    select '${NO_CUSTOMER}', '${own}', 'https://ours.example/hooks', '\\x00', now(), now() where $1 > 0`);
  await deliveries(`'${NO_CUSTOMER}'::uuid`, `'${own}'::uuid`, 'event');

  // In the last twenty days: the changes and the refusals of tokens, with few by a person, and few of some kinds.
  const records = (count: number) => `(
    select owner, token, ticket, n, now() - n * interval '20 days' / ($1 * ${count}) as moment
    from (
      select ${OWNER} as owner, token, ticket, customer_number::int as number
      from (
        select c.id, c.customer_number, t.id as token, s.id as ticket
        from customer c join service_token t on t.customer_id = c.id
        left join (select distinct on (customer_id) customer_id, id from support_ticket order by customer_id) s on s.customer_id = c.id) c) c,
      generate_series(number, $1 * ${count}, $1) n) record`;
  await sql(`insert into audit_log (customer_id, id, actor, action, metadata, created_at)
    select owner, app.first_id(moment),
      case when n % 10000 = 7 then 'operator:kari' when n % 4 = 0 then 'operator:ola' else 'token:' || token end,
      case when n % 5000 = 0 then 'invoice.unlink'
        else (array['ticket.open', 'ticket.reply', 'ticket.close', 'token.issue', 'token.deactivate', 'service.update', 'sms.configure'])[1 + n % 7] end,
      jsonb_build_object('token_id', token, 'ticket_id', ticket), moment
    from ${records(10)}`);
  await sql(`insert into refused_request (customer_id, id, request_id, token_id, fingerprint, network, method, route, status, code, detail,
      duration_ms, created_at)
    select owner, app.first_id(moment), 'r' || n, token, case when n % 1000 = 0 then lpad(to_hex(n), 12, '0') end,
      '192.0.' || n % 200 || '.' || n % 100, 'POST', '/api/v1/ai/messages', 429,
      case when n % 5000 = 0 then 'ai_upstream_timeout' else 'rate_limited' end, 'Too many requests', 1, moment
    from ${records(3)}`);
  // As autovacuum leaves tables.
  await superuser.query('vacuum analyze');
}

describe(`the operator API with ${CUSTOMERS} customers`, () => {
  let api: TestOperatorApi;
  let admin: TestOperator;
  beforeAll(async () => {
    api = await startOperatorApi();
    admin = await logIn(api, 'admin');
    await fillDatabase(api.superuser, admin.name);
  }, 900_000);
  afterAll(() => api.stop());

  const idOf = async (text: string) => (await api.superuser.query<{ id: string }>(text)).rows[0]!.id;

  it('names the customers of a list of more than a statement takes values, such as the accounting of a month', async () => {
    const known = await idOf('select id from customer limit 1');
    const names = await api.app
      .get(CustomerLookupOperatorService)
      .namesOf([...Array.from({ length: 65_536 }, () => randomUUID()), known]);
    expect([...names.keys()]).toEqual([known]);
  });

  it('answers every page of the console', async () => {
    const busiest = await idOf('select id from customer order by customer_number limit 1');
    const ours = await idOf(`select id from webhook_endpoint where customer_id = '${NO_CUSTOMER}'`);
    const theirs = await idOf(`select id from webhook_endpoint where customer_id = '${busiest}'`);
    const token = await idOf(`select id from service_token where customer_id = '${busiest}'`);
    const ticket = await idOf(`select id from support_ticket where customer_id = '${busiest}'`);
    const month = new Date().toISOString().slice(0, 7);
    const paths = [
      ...['/today', '/session', '/accounts', '/prices', '/installation/storage', `/ai/accounting?month=${month}`],
      ...[
        '/customers',
        '/customers?sort=name',
        '/customers?search=a1b',
        '/customers?search=company',
        '/customers?search=nothing-like-it',
      ],
      ...['/customers?state=active&sort=-customer_number', `/customers/${busiest}`, `/customers/${busiest}/overview`],
      ...[`/tokens?customer_id=${busiest}`, `/services?customer_id=${busiest}`, '/services/types', '/ai/models'],
      // The console's list of tickets has the urgent open ones on top, whatever else is chosen.
      ...[
        '',
        '&status=open',
        '&priority=urgent',
        '&unanswered=true',
        '&unassigned=true',
        '&status=open&unassigned=true',
      ].map((filter) => `/tickets?sort=-urgency${filter}`),
      ...[
        `&assigned=${admin.name}`,
        '&assigned=ola',
        '&assigned=kari',
        `&customer_id=${busiest}`,
        '&search=Ticket%201',
      ].map((filter) => `/tickets?sort=-urgency${filter}`),
      ...['/tickets', '/tickets?unanswered=true', '/tickets?status=open&sort=-updated_at', '/tickets?sort=-priority'],
      ...[
        '/tickets?search=Ticket%201',
        '/tickets?search=nothing-like-it',
        '/tickets?search=fault',
        '/tickets?search=wo',
        `/tickets?customer_id=${busiest}`,
      ],
      ...[`/tickets?assigned=${admin.name}`, '/tickets?unassigned=true', '/tickets/assignees', `/tickets/${ticket}`],
      ...['/credit-requests', '/credit-requests?status=pending', '/credit-requests?status=pending&sort=created_at'],
      ...[
        '/credit-requests?status=rejected',
        '/credit-requests?sort=-amount_nok',
        '/credit-requests?search=company',
        '/credit-requests?search=777',
      ],
      ...[
        '/invoices',
        '/invoices?status=open&sort=due_date',
        '/invoices?search=N1',
        '/invoices?search=company',
        '/invoices?source=stripe',
      ],
      ...['/invoice-syncs', '/invoice-syncs?failing=true', '/invoice-syncs?sort=due_at'],
      ...['/sms', '/sms?search=900', '/sms?status=failed', `/sms?customer_id=${busiest}`],
      ...['/webhook-endpoints', '/webhook-endpoints?sort=created_at', '/webhook-endpoints?own=true'],
      ...[`/webhook-endpoints?customer_id=${busiest}`, `/webhook-endpoints/${theirs}`],
      ...['/webhook-deliveries', '/webhook-deliveries?sort=created_at', '/webhook-deliveries?state=failed'],
      ...['/webhook-deliveries?state=pending', `/webhook-deliveries?customer_id=${busiest}`],
      ...[`/webhook-deliveries?customer_id=${busiest}&state=failed`, `/webhook-deliveries?endpoint_id=${theirs}`],
      ...[`/webhook-deliveries?customer_id=${busiest}&endpoint_id=${theirs}`],
      ...[`/webhook-deliveries?customer_id=${NO_CUSTOMER}&endpoint_id=${ours}`],
      ...['/events', '/events?sort=created_at', '/events?type=ticket.replied', '/events?type=ai.credit.low'],
      ...[`/events?customer_id=${busiest}`, `/events?customer_id=${busiest}&type=ai.credit.low`],
      ...['/audit', '/audit/actions', '/audit?action=token', '/audit?action=token.issue', '/audit?action=invoice'],
      ...['/audit?by=kari', '/audit?by=operator:ola', '/audit?by=nobody', `/audit?by=token:${token}`],
      ...['/audit?action=token&by=kari', '/audit?action=invoice&by=nobody', `/audit?customer_id=${busiest}`],
      ...[`/audit?customer_id=${busiest}&action=invoice`, `/audit?customer_id=${busiest}&by=kari`],
      ...[`/audit?since=${A_DAY_AGO}`, `/audit?until=${LONG_AGO}`, `/audit?since=${A_DAY_AGO}&by=kari`],
      ...['/requests', '/requests?code=rate_limited', '/requests?code=ai_upstream_timeout', '/requests?status=503'],
      ...['/requests?network=192.0.17.17', '/requests?network=198.51.100.7', '/requests?fingerprint=0000000003e8'],
      ...[`/requests?since=${A_DAY_AGO}`, `/requests?customer_id=${busiest}`, '/requests/outcome?request_id=r7'],
      ...['/status-events', '/status-events?present=true', '/status-events?sort=starts_at'],
      ...[`/status-events?customer_id=${busiest}`, '/ai/unknown', '/ai/unknown?sort=-amount'],
      ...[`/ai/usage?customer_id=${busiest}`, `/ai/usage/summary?customer_id=${busiest}&group_by=day`],
      ...[`/ai/ledger?customer_id=${busiest}`, `/ai/ledger?customer_id=${busiest}&kind=refund`],
    ];
    const times: [path: string, p95: number, p50: number][] = [];
    let later = 0;
    const now = performance.now.bind(performance);
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now() + later);
    const measure = async (path: string): Promise<{ next_cursor?: string | null }> => {
      const taken: number[] = [];
      let body = '';
      for (let sample = 0; sample < SAMPLES; sample++) {
        if (path === '/today') later += LONGER_THAN_KEPT_MS;
        const begun = performance.now();
        const reply = await admin.call(path);
        body = await reply.text();
        taken.push(performance.now() - begun);
        expect([path, reply.status, reply.status === 200 || body]).toEqual([path, 200, true]);
      }
      taken.sort((one, other) => one - other);
      const percentile = (share: number) => taken[Math.ceil(taken.length * share) - 1]!;
      times.push([path, percentile(0.95), percentile(0.5)]);
      return JSON.parse(body) as { next_cursor?: string | null };
    };
    for (const path of paths) {
      const { next_cursor: next } = await measure(path);
      if (typeof next === 'string') await measure(`${path}${path.includes('?') ? '&' : '?'}cursor=${next}`);
    }
    clock.mockRestore();
    if (SAMPLES < 10) return;
    const lines = times
      .sort(([, one], [, other]) => other - one)
      .map(([path, ...ms]) =>
        [...ms.map((one) => `${one.toFixed(0).padStart(6)} ms`), path.replace(/cursor=.*/, 'its next page')].join('  '),
      );
    process.stdout.write(`p95 and p50 of ${SAMPLES} requests each:\n${lines.join('\n').replaceAll(busiest, 'ID')}\n`);
    expect(times.filter(([, ms]) => ms > MOST_MS)).toEqual([]);
  }, 900_000);
});
