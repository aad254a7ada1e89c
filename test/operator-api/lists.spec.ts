import { randomUUID } from 'node:crypto';
import { DataSource } from 'typeorm';
import { TicketsOperatorService } from '@domains/support';
import { logIn, startOperatorApi, type TestOperator, type TestOperatorApi } from '@test/operator-api';
import { saveAiCustomer } from '@test/ai-factories';
import { saveFakeCustomer } from '@test/factories/customer.factory';
import { saveFakeInvoice } from '@test/factories/invoice.factory';
import { saveFakeToken } from '@test/factories/service-token.factory';
import { saveFakeDelivery } from '@test/factories/webhook.factory';
import { itOnOneServer } from '@test/kinds-of-server';

type Dict = Record<string, unknown>;

interface Page {
  data: { id: string; title?: string; name?: string; model?: string }[];
  has_more: boolean;
  next_cursor: string | null;
  total: number;
  total_is_exact: boolean;
}

describe('lists of the operator API', () => {
  let api: TestOperatorApi;
  let operator: TestOperator;
  let customer: string;
  beforeAll(async () => {
    api = await startOperatorApi();
    operator = await logIn(api, 'support');
    customer = (await saveFakeCustomer(api.superuser, { name: 'Ærlig & Sønn' })).id;
    // Many of one moment: the time alone does not order them.
    await api.superuser.query(
      `insert into support_ticket (customer_id, id, title, body, status, priority, created_at, updated_at)
       select $1, gen_random_uuid(), 'Ticket ' || n, case when n = 7 then 'a needle' else 'hay' end,
         (array['open', 'pending', 'closed'])[1 + n % 3], (array['low', 'normal', 'high', 'urgent'])[1 + n % 4],
         timestamptz '2026-11-01' + (n / 5) * interval '1 microsecond', now()
       from generate_series(1, 60) n`,
      [customer],
    );
  });
  afterAll(() => api.stop());

  const page = async (path: string) => (await (await operator.call(path)).json()) as Page;
  const all = async (path: string) => {
    const rows: Page['data'] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const part: Page = await page(`${path}&limit=7${cursor ? `&cursor=${cursor}` : ''}`);
      expect([part.total, part.total_is_exact, part.has_more]).toEqual([60, true, part.next_cursor !== null]);
      rows.push(...part.data);
      cursor = part.next_cursor;
    }
    return rows;
  };

  it.each(['created_at', '-created_at', 'updated_at', '-updated_at', 'priority', '-priority', 'urgency', '-urgency'])(
    'have every row once, in the order %s',
    async (sort) => {
      const rows = await all(`/tickets?sort=${sort}`);
      expect(new Set(rows.map(({ id }) => id)).size).toBe(60);
      const direction = sort.startsWith('-') ? 'desc' : 'asc';
      const priority = `array_position('{low,normal,high,urgent}', priority)`;
      const urgency = `(case status when 'open' then ${priority} end) ${direction} nulls ${direction === 'desc' ? 'last' : 'first'}, created_at`;
      const column = sort.replace('-', '').replace('priority', priority).replace('urgency', urgency);
      const { rows: wanted } = await api.superuser.query<{ id: string }>(
        `select id from support_ticket order by ${column} ${direction}, id ${direction}`,
      );
      expect(rows.map(({ id }) => id)).toEqual(wanted.map(({ id }) => id));
    },
  );

  it('are narrowed by filters and search', async () => {
    expect(await page('/tickets?status=open&priority=urgent')).toMatchObject({ total: 5 });
    expect(await page('/tickets?search=NEEDLE')).toMatchObject({ data: [{ title: 'Ticket 7' }], total: 1 });
    expect(await page('/tickets?unanswered=true')).toMatchObject({ total: 20 });
    expect(await page('/tickets?unassigned=true')).toMatchObject({ total: 60 });
    expect(await page('/tickets?unanswered=false')).toMatchObject({ total: 60 });
    expect(await page('/customers?search=RLIG')).toMatchObject({ data: [{ name: 'Ærlig & Sønn' }] });
  });

  it('find a text wherever it is, whether few or many rows have it, or it is short', async () => {
    const { id: owner } = await saveFakeCustomer(api.superuser, {
      customerNumber: 'K-77',
      name: 'Søk_100% AS',
      organizationNumber: '974760673',
      email: 'post@sok.example',
    });
    const ticket = randomUUID();
    const query = (text: string) => api.superuser.query(text, [owner]);
    await query(
      `insert into support_ticket (customer_id, id, title, body) values ($1, '${ticket}', 'Qx', 'Back\\slash')`,
    );
    await query(`insert into support_ticket_reply (customer_id, id, ticket_id, author, body)
      values ($1, gen_random_uuid(), '${ticket}', 'operator', 'In a REPLY'), ($1, gen_random_uuid(), '${ticket}', 'customer', 'reply')`);
    await query(`insert into invoice (customer_id, id, source, source_id, number, status, currency, amount, amount_due, issue_date)
      values ($1, gen_random_uuid(), 'manual', 'x', '2026-Zz-9', 'open', 'NOK', 100, 100, '2026-11-01')`);
    const { rows: requests } = await api.superuser.query<{ id: number }>(
      `insert into ai_credit_request (customer_id, amount_nok, reference, note, created_at) values ($1, 500, 'PO-5511', 'More, please', now())
       returning id`,
      [owner],
    );
    const found = [
      ['/tickets', ['qx', 'K\\SL', 'a reply', 'reply', 're', 'qX back'], ['%', 'reply back', 'Q_', 'wxy']],
      [
        '/invoices',
        ['6-zz', '2026-ZZ-9', 'søk_1', '-77 s', 'zz', '0% as'],
        ['974760673', 'sok.example', '26_zz', 'k-78'],
      ],
      [
        '/credit-requests',
        ['o-55', 'E, PLEASE', 'søk_1', 'k-77', 'po', String(requests[0]?.id)],
        ['974760673', 'o_55', '2147483648'],
      ],
      ['/customers', ['søk_1', 'k-77 Søk', '974760673', '974 760 673', 'T@SOK', '73 post', 'k-'], ['k_77', 'as 97']],
    ] as const;
    for (const [path, texts, others] of found) {
      for (const text of texts)
        expect([text, await page(`${path}?search=${encodeURIComponent(text)}`)]).toMatchObject([text, { total: 1 }]);
      for (const text of others)
        expect([text, await page(`${path}?search=${encodeURIComponent(text)}`)]).toMatchObject([text, { total: 0 }]);
    }
    for (const table of ['support_ticket_reply', 'support_ticket', 'invoice', 'ai_credit_request'])
      await query(`delete from ${table} where customer_id = $1`);
    await query('delete from customer where id = $1');
  });

  it('name the people whom a ticket can be assigned to: those who may answer it', async () => {
    await logIn(api, 'viewer');
    const gone = await logIn(api, 'support');
    await api.superuser.query('update operator_account set active = false where name = $1', [gone.name]);
    const admin = await logIn(api, 'admin');
    const reply = await operator.call('/tickets/assignees');
    expect((await reply.json()) as object).toEqual({ data: [admin.name, operator.name].sort() });
  });

  it('lose no row and repeat none while others are added and removed', async () => {
    const first = await page('/tickets?limit=20');
    const { rows } = await api.superuser.query<{ id: string }>(
      'select id from support_ticket order by created_at desc, id desc',
    );
    await api.superuser.query(
      `insert into support_ticket (customer_id, id, title, body) values ($1, $2, 'New', 'new')`,
      [...[customer, randomUUID()]],
    );
    const second = await page(`/tickets?limit=20&cursor=${first.next_cursor!}`);
    const seen = [...first.data, ...second.data].map(({ id }) => id);
    expect(seen).toEqual(rows.slice(0, 40).map(({ id }) => id));
    await api.superuser.query(`delete from support_ticket where title = 'New'`);
  });

  it('count to ten thousand', async () => {
    await api.superuser.query(
      `insert into support_ticket (customer_id, id, title, body, status)
       select $1, gen_random_uuid(), 'Many', 'many', 'closed' from generate_series(1, 10001)`,
      [customer],
    );
    expect(await page('/tickets?search=many&limit=1')).toMatchObject({
      total: 10_000,
      total_is_exact: false,
      has_more: true,
    });
    // Many have it, but none that is urgent; those that have it in a reply count, too.
    const { data } = await page('/tickets?status=pending&priority=urgent');
    const [ticket] = data;
    await api.superuser.query(
      `insert into support_ticket_reply (customer_id, id, ticket_id, author, body) values ($1, $2, $3, 'customer', 'How MANY?')`,
      [...[customer, randomUUID(), ticket?.id]],
    );
    expect(await page('/tickets?search=many&status=pending')).toMatchObject({ data: [{ id: ticket?.id }], total: 1 });
    await api.superuser.query(`delete from support_ticket_reply`);
    await api.superuser.query(`delete from support_ticket where title = 'Many'`);
  });

  it.each([
    ['/tickets?sort=body', 'sort must be one of'],
    ['/tickets?page=2', 'next_cursor'],
    ['/tickets?dueBefore=2026-01-01&due_before=2026-01-01', 'is not a filter of this list'],
    ['/tickets?limit=201', 'limit must be a whole number from 1 to 200'],
    ['/tickets?cursor=abc', 'cursor must be a next_cursor of this list'],
    ['/tokens', 'customer_id is required'],
  ])('refuse %s', async (path, detail) => {
    const reply = await operator.call(path);
    expect([reply.status, ((await reply.json()) as { detail: string }).detail]).toEqual([
      400,
      expect.stringContaining(detail),
    ]);
  });

  it('say by its name whose token a refused request had', async () => {
    const token = await saveFakeToken(api.superuser, customer, { name: 'ERP production' });
    await api.superuser.query(
      `insert into refused_request (customer_id, id, request_id, network, method, status, token_id, duration_ms, created_at)
       values ($1, app.new_id(), 'request-of-erp', '127.0.0.1', 'POST', 403, $2, 3, now())`,
      [customer, token.id],
    );
    const { data } = await page('/requests/outcome?request_id=request-of-erp');
    expect(data).toMatchObject([
      {
        customer_name: 'Ærlig & Sønn',
        token_name: 'ERP production',
        token_fingerprint: expect.stringMatching(/^[0-9a-f]{12}$/),
      },
    ]);
  });

  it('refuse a cursor of another order or filter', async () => {
    const { next_cursor: cursor } = await page('/tickets?limit=1');
    for (const other of ['sort=priority', 'status=open']) {
      const reply = await operator.call(`/tickets?limit=1&${other}&cursor=${cursor!}`);
      expect([other, reply.status]).toEqual([other, 400]);
    }
  });

  it.each(['+99', '+00:60', '-16', '+01'])(
    'refuse a cursor whose time has been given the offset %s',
    async (offset) => {
      const { next_cursor: cursor } = await page('/tickets?limit=1');
      const changed = Buffer.from(cursor!, 'base64url').toString().replace('+00"', `${offset}"`);
      const reply = await operator.call(`/tickets?limit=1&cursor=${Buffer.from(changed).toString('base64url')}`);
      expect(reply.status).toBe(400);
    },
  );

  it('narrow the audit to a time, also for entries that were stored some time after they were dated', async () => {
    const dated = ['09:00', '10:00', '11:00', '12:00'].map((time) => `2026-03-02T${time}:00Z`);
    for (const moment of dated) {
      await api.superuser.query(
        `insert into audit_log (customer_id, id, actor, action, metadata, created_at)
         values ($1, app.first_id($2::timestamptz + interval '5 minutes'), 'operator:kari', 'ticket.note', jsonb_build_object('at', $3::text), $2)`,
        [customer, moment, moment],
      );
    }
    const found = async (times: string) => {
      const { data } = (await page(`/audit?customer_id=${customer}&action=ticket.note&${times}`)) as unknown as {
        data: { metadata: { at: string } }[];
      };
      return data.map(({ metadata }) => metadata.at).reverse();
    };
    expect(await found(`since=${dated[1]}`)).toEqual(dated.slice(1));
    expect(await found(`until=${dated[2]}`)).toEqual(dated.slice(0, 2));
    expect(await found(`since=${dated[1]}&until=2026-03-02T11:00:01Z`)).toEqual(dated.slice(1, 3));
    expect(await found('since=2026-03-02T12:00:01Z')).toEqual([]);
    expect(await found('since=2600-01-01T00:00:00Z')).toEqual([]);
    expect(await found('until=9999-12-31T23:59:59Z')).toEqual(dated);
  });

  it('narrow refused requests to those since a time', async () => {
    await api.superuser.query(
      `insert into refused_request (customer_id, id, request_id, network, method, status, duration_ms, created_at)
       select $1, app.first_id(moment + interval '1 second'), 'at ' || moment::text, '127.0.0.1', 'GET', 429, 3, moment
       from unnest(array['2026-03-02T09:00:00Z', '2026-03-02T10:00:00Z']::timestamptz[]) moment`,
      [customer],
    );
    expect(await page('/requests?status=429&since=2026-03-02T10:00:00Z')).toMatchObject({ total: 1 });
    expect(await page('/requests?status=429&since=2026-03-02T09:00:00Z')).toMatchObject({ total: 2 });
    expect(await page('/requests?status=429&since=9999-12-31T23:59:59Z')).toMatchObject({ total: 0 });
  });

  it('have every sync of invoices once, those that fail most first', async () => {
    const { rows } = await api.superuser.query<{ customer_id: string }>(
      `insert into customer (id, name, organization_number, customer_number, email)
       select gen_random_uuid(), 'Synced ' || n, '123456785', 'S' || n, 'it@example.com' from generate_series(1, 5) n returning id as customer_id`,
    );
    for (const [at, { customer_id: id }] of rows.entries()) {
      for (const source of ['stripe', 'fiken']) {
        await api.superuser.query('insert into billing_account values ($1, $2, $3)', [id, source, `${source}-${at}`]);
        await api.superuser.query('insert into invoice_sync (customer_id, source, failures) values ($1, $2, $3)', [
          ...[id, source, at === 2 ? 4 : 0],
        ]);
      }
    }
    const seen: { failures: number; id: string }[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const part: Page = await page(`/invoice-syncs?limit=3${cursor ? `&cursor=${cursor}` : ''}`);
      expect(part.total).toBe(10);
      const syncs = part.data as unknown as { failures: number; customer_id: string; source: string }[];
      seen.push(...syncs.map(({ failures, customer_id: of, source }) => ({ failures, id: `${of} ${source}` })));
      cursor = part.next_cursor;
    }
    expect(seen.map(({ failures }) => failures)).toEqual([4, 4, ...Array<number>(8).fill(0)]);
    expect(new Set(seen.map(({ id }) => id)).size).toBe(10);
    // Narrowed, and in other orders, each with its account and its problems.
    const [first, , failing] = rows.map(({ customer_id: id }) => id);
    const due = `update invoice_sync set due_at = due_at + interval '1 hour' where customer_id = $1 and source = 'stripe'`;
    await api.superuser.query(due, [first]);
    await api.superuser.query(
      `insert into invoice_sync_problem (customer_id, source, source_id, detail, seen_at) values
         ($1, 'stripe', 'in_1', 'first', '2026-03-01'), ($1, 'stripe', 'in_2', 'second', '2026-03-02'), ($1, 'fiken', '3', 'other', now())`,
      [first],
    );
    const found = async (query: string) => {
      const { data } = await page(`/invoice-syncs?${query}`);
      return data as unknown as {
        customer_id: string;
        source: string;
        source_customer_id: string;
        problems: object[];
      }[];
    };
    const sources = async (query: string) => (await found(query)).map(({ source }) => source);
    expect(await sources(`customer_id=${first}&sort=due_at`)).toEqual(['fiken', 'stripe']);
    expect(await sources(`customer_id=${first}&sort=-due_at`)).toEqual(['stripe', 'fiken']);
    expect((await sources('source=fiken')).sort()).toEqual(Array(5).fill('fiken'));
    expect((await found('failing=true')).map(({ customer_id }) => customer_id)).toEqual([failing, failing]);
    expect(await found(`customer_id=${first}&source=stripe`)).toMatchObject([
      { source_customer_id: 'stripe-0', problems: [{ source_id: 'in_2', detail: 'second' }, { source_id: 'in_1' }] },
    ]);
    // Of many problems the newest.
    await api.superuser.query(
      `insert into invoice_sync_problem (customer_id, source, source_id, detail, seen_at)
       select $1, 'stripe', 'older_' || n, 'many', '2026-02-01' from generate_series(1, 1000) n`,
      [first],
    );
    const [many] = await found(`customer_id=${first}&source=stripe`);
    expect(many?.problems).toHaveLength(1000);
    expect(many?.problems.slice(0, 2)).toMatchObject([{ source_id: 'in_2' }, { source_id: 'in_1' }]);
  });

  it('narrow invoices by each filter, and have them in each order', async () => {
    const { id } = await saveFakeCustomer(api.superuser);
    // Number, source, status, and the days of: due date, issue, creation; amount.
    for (const [number, source, status, due, issued, created, amount] of [
      ['A', 'manual', 'open', '10', '04', '01', '300'],
      ['B', 'stripe', 'paid', '11', '01', '04', '100'],
      ['C', 'fiken', 'open', undefined, '03', '02', '200'],
      ['D', 'manual', 'draft', '12', '02', '03', '400'],
    ] as const) {
      await saveFakeInvoice(api.superuser, id, {
        ...{ number, source, status, amount, dueDate: due ? `2026-03-${due}` : null },
        ...{ issueDate: `2026-03-${issued}`, createdAt: new Date(`2026-03-${created}T12:00:00Z`) },
      });
    }
    const found = async (query: string) => {
      const { data, total } = await page(`/invoices?customer_id=${id}&${query}`);
      expect(total).toBe(data.length);
      return (data as unknown as { number: string }[]).map(({ number }) => number).join('');
    };
    expect(await found('')).toBe('BDCA');
    expect(await found('source=manual')).toBe('DA');
    expect(await found('source=fiken')).toBe('C');
    expect(await found('status=open')).toBe('CA');
    expect(await found('status=draft')).toBe('D');
    expect(await found('due_before=2026-03-11')).toBe('A');
    expect(await found('due_before=2026-03-12&status=paid')).toBe('B');
    for (const [order, numbers] of Object.entries({
      created_at: 'ACDB',
      issue_date: 'BDCA',
      due_date: 'ABDC',
      amount: 'BCAD',
    })) {
      expect(await found(`sort=${order}`)).toBe(numbers);
      expect(await found(`sort=-${order}`)).toBe([...numbers].reverse().join(''));
    }
  });

  it('narrow SMS by status and recipient, and name what is not there', async () => {
    const { id } = await saveFakeCustomer(api.superuser);
    const { rows } = await api.superuser.query<{ id: string }>(
      `insert into sms_message (customer_id, id, recipient, sender_id, message, status, segments, encoding, gateway)
       select $1, app.new_id(), recipient, 'Acme', 'Hello', status, 1, 'GSM-7', '46elks'
       from (values ('+4790000001', 'sent'), ('+4690000002', 'failed'), ('+4790000003', 'failed')) as v (recipient, status)
       returning id`,
      [id],
    );
    const ids = rows
      .map((row) => row.id)
      .sort()
      .reverse();
    const found = async (query: string) => {
      const { data } = await page(`/sms?customer_id=${id}&${query}`);
      return (data as unknown as { recipient: string }[]).map(({ recipient }) => recipient).sort();
    };
    expect((await page(`/sms?customer_id=${id}`)).data.map((sms) => sms.id)).toEqual(ids);
    expect(await found('status=failed')).toEqual(['+4690000002', '+4790000003']);
    expect(await found('search=%2B4790')).toEqual(['+4790000001', '+4790000003']);
    expect(await found('search=0003&status=failed')).toEqual(['+4790000003']);
    expect(await found('search=%25')).toEqual([]);
    expect(await (await operator.call(`/sms/${ids[0]}`)).json()).toMatchObject({ id: ids[0], customer_id: id });
    const missing = ['/sms/ID', '/customers/ID/sms'].map((path) => operator.call(path.replace('ID', randomUUID())));
    expect((await Promise.all(missing)).map(({ status }) => status)).toEqual([404, 404]);
  });

  it('name the types of services, each with its services and customers', async () => {
    const { id } = await saveFakeCustomer(api.superuser);
    await api.superuser.query(
      `insert into customer_service (customer_id, type, name, status) values
         ($1, 'fax', 'One', 'active'), ($1, 'Fax', 'Two', 'active'), ($1, 'fax', 'Gone', 'terminated'), ($2, 'FAX', 'Three', 'suspended')`,
      [customer, id],
    );
    const reply = await operator.call('/services/types');
    expect(await reply.json()).toEqual({ data: [{ type: 'fax', services: 3, customers: 2 }] });
  });

  it('count the status events that have not ended, as their list has them', async () => {
    const [{ id: service }] = (
      await api.superuser.query<{ id: number }>(
        `insert into customer_service (customer_id, type, name) values ($1, 'hosting', 'Web') returning id`,
        [customer],
      )
    ).rows as [{ id: number }];
    await api.superuser.query(
      `insert into status_event (customer_id, id, service_id, status, message, starts_at, ends_at)
       select $1, gen_random_uuid(), $2, 'outage', 'Down', now() - interval '1 day', ends
       from unnest(array[null, now() + interval '1 hour', now() - interval '1 hour', now()]) ends`,
      [customer, service],
    );
    const today = (await (await operator.call('/today')).json()) as Dict;
    expect(today).toMatchObject({ waiting: { status_events: 2 }, series: { as_of: expect.any(String) } });
    expect(await page('/status-events?present=true')).toMatchObject({ total: 2 });
  });

  it('have the sums of a month for the accounts: each kind of change, who used most first, and the total of all', async () => {
    const ids = [(await saveFakeCustomer(api.superuser)).id, (await saveFakeCustomer(api.superuser)).id].sort();
    const [little, much] = ids as [string, string];
    const book = async (id: string, month: string, entries: [kind: string, bucket: string, amount: string][]) => {
      for (const [kind, bucket, amount] of entries)
        await api.superuser.query(
          `insert into ai_ledger_entry (customer_id, sequence, kind, bucket, amount, balance_after, month, actor, created_at)
           select $1, coalesce(max(sequence), 0) + 1, $2, $3, $4, 0, $5, 'operator:test', now() from ai_ledger_entry where customer_id = $1`,
          [id, kind, bucket, amount, month],
        );
    };
    await book(little, '2031-07', [
      ['invoice_topup', 'purchased', '500'],
      ['invoice_topup', 'purchased', '250'],
      ['refund', 'purchased', '7'],
      ['manual_adjustment', 'purchased', '5'],
      ['manual_adjustment', 'included', '-8.5'],
      ['usage', 'purchased', '-20'],
      ['usage', 'purchased', '-0.000000000001'],
      ['usage', 'included', '-1'],
      ['monthly_included', 'included', '10'],
      ['expiry', 'included', '-9'],
    ]);
    await book(much, '2031-07', [
      ['invoice_topup', 'purchased', '100'],
      ['usage', 'included', '-30'],
    ]);
    await book(much, '2031-08', [['usage', 'purchased', '-1000']]);
    const accounting = async (query: string) => {
      const { data, ...total } = (await (await operator.call(`/ai/accounting?month=2031-07${query}`)).json()) as {
        data: Dict[];
      };
      return { data: data.map(({ customer_name: _name, customer_number: _number, ...sums }) => sums), total };
    };
    const none = {
      topped_up: 0,
      refunded: 0,
      adjusted: 0,
      used_purchased: 0,
      used_included: 0,
      granted: 0,
      expired: 0,
    };
    const ofLittle = {
      ...{ customer_id: little, topped_up: 750, refunded: 7, adjusted: -3.5 },
      ...{ used_purchased: 20.000000000001, used_included: 1, granted: 10, expired: 9 },
    };
    const ofMuch = { ...none, customer_id: much, topped_up: 100, used_included: 30 };
    const total = { customers: 2, topped_up: 850, used_purchased: 20.000000000001, used_included: 31 };
    expect(await accounting('')).toEqual({ data: [ofMuch, ofLittle], total });
    expect(await accounting('&top=1')).toEqual({ data: [ofMuch], total });
    expect(await accounting(`&customer_id=${little}`)).toEqual({
      ...{
        data: [ofLittle],
        total: { customers: 1, topped_up: 750, used_purchased: 20.000000000001, used_included: 1 },
      },
    });
  });

  it('have no sums of a month that lost entries to the retention', async () => {
    await api.superuser.query(
      `insert into ai_ledger_carried (customer_id, bucket, balance, sequence, before) values ($1, 'included', 0, 0, '2020-03-01T00:00:00Z')`,
      [randomUUID()],
    );
    const of = async (month: string) => {
      const reply = await operator.call(`/ai/accounting?month=${month}`);
      const { detail } = (await reply.json()) as { detail?: string };
      return [reply.status, detail];
    };
    const lost = expect.stringContaining('2020-04 is the first month that adds up');
    for (const month of ['2020-01', '2020-03']) expect(await of(month)).toEqual([400, lost]);
    expect(await of('2020-04')).toEqual([200, undefined]);
  });

  it('name the models that a customer can be given, and the usual one', async () => {
    const models = async () => {
      const reply = (await (await operator.call('/ai/models')).json()) as { data: Dict[] };
      return reply.data.map(({ model, customers, usual }) => [model, customers, usual]);
    };
    const price = (model: string, from: string, example = false) =>
      api.superuser.query(
        `insert into ai_model_price (model, valid_from, input, cache_write_5m, cache_write_1h, cache_read, output, example)
         values ($1, $2, 12.5, 1, 1, 1, 60, $3)`,
        [model, from, example],
      );
    const enable = (model: string) => saveAiCustomer(api.superuser, { model });
    await price('example-a', '2026-01-01', true);
    await price('to-come', '2999-01-01');
    expect(await models()).toEqual([['example-a', 0, true]]);
    // Of two, the one that more customers may use.
    await price('example-b', '2026-01-01', true);
    expect(await models()).toEqual([
      ['example-a', 0, false],
      ['example-b', 0, false],
    ]);
    await saveAiCustomer(api.superuser, { model: 'example-a', enabled: false });
    await enable('example-b');
    expect(await models()).toEqual([
      ['example-a', 0, false],
      ['example-b', 1, true],
    ]);
    // A price that somebody has decided goes before those of examples.
    await price('own', '2026-01-01');
    expect(await models()).toEqual([
      ['example-a', 0, false],
      ['example-b', 1, false],
      ['own', 0, true],
    ]);
    const { data } = (await (await operator.call('/ai/models')).json()) as { data: Dict[] };
    expect(data[2]).toMatchObject({ input: '12.500000', output: '60.000000', example: false });
  });

  it('that are short, as that of the prices, are one page, and say how many rows they have', async () => {
    const { data, ...rest } = await page('/prices');
    expect(data.map(({ model }) => model)).toContain('to-come');
    expect(rest).toEqual({ has_more: false, next_cursor: null, total: data.length, total_is_exact: true });
  });

  itOnOneServer('read the tickets of all along an index in the order of their urgency', 'its nodes plan', async () => {
    await api.superuser.query(
      `insert into support_ticket (customer_id, id, title, body, created_at)
       select $1, gen_random_uuid(), 'Many', 'many', now() - n * interval '1 second' from generate_series(1, 20000) n`,
      [customer],
    );
    await api.superuser.query('analyze support_ticket');
    const dataSource = api.app.get(DataSource);
    const runner = dataSource.createQueryRunner();
    const sent = jest.spyOn(Object.getPrototypeOf(runner) as typeof runner, 'query');
    await runner.release();
    for (const [sort, index] of [
      ['urgency', 'support_ticket_urgency_idx'],
      ['priority', 'support_ticket_priority_idx'],
    ] as const) {
      const { next_cursor: next } = await page(`/tickets?sort=-${sort}`);
      await page(`/tickets?sort=-${sort}&cursor=${next!}`);
      const reads = sent.mock.calls.splice(0).filter(([text]) => /^select.*support_ticket.*order by/is.test(text));
      expect(reads).toHaveLength(2);
      for (const [text, values] of reads) {
        const plan = await dataSource.query<object[]>(`explain ${text}`, values as unknown[]);
        expect(JSON.stringify(plan)).toContain(`using ${index} on support_ticket`);
        expect(JSON.stringify(plan)).not.toContain('Sort Key');
      }
    }
    sent.mockRestore();
    await api.superuser.query(`delete from support_ticket where title = 'Many'`);
  });

  /** The plans of those reads of a table during `work` that name no customer. */
  const plansOf = async (table: string, work: () => Promise<unknown>): Promise<string[]> => {
    const dataSource = api.app.get(DataSource);
    const runner = dataSource.createQueryRunner();
    const sent = jest.spyOn(Object.getPrototypeOf(runner) as typeof runner, 'query');
    await runner.release();
    await work();
    const reads = sent.mock.calls.filter(
      ([text]) => new RegExp(`^select.* from "${table}" .*where`, 'is').test(text) && !text.includes('customer_id" = '),
    );
    sent.mockRestore();
    const explain = ([text, values]: (typeof reads)[number]) =>
      dataSource.query(`explain ${text}`, values as unknown[]);
    return Promise.all(reads.map(async (read) => JSON.stringify(await explain(read))));
  };
  const anyOf = async (table: string) =>
    (await api.superuser.query<{ id: string }>(`select id from ${table} limit 1`)).rows[0]!.id;

  itOnOneServer('find one of all tickets or invoices by an index of their ids', 'its nodes plan', async () => {
    const many = (insert: string) =>
      api.superuser.query(`${insert} from generate_series(1, 20000) n where $1::uuid is not null`, [customer]);
    await many(
      `insert into support_ticket (customer_id, id, title, body) select $1, gen_random_uuid(), 'Many', 'many'`,
    );
    await many(`insert into invoice (customer_id, id, source, source_id, number, status, currency, amount, amount_due, issue_date)
      select $1, gen_random_uuid(), 'manual', 'many' || n, 'many' || n, 'open', 'NOK', 100, 100, '2026-11-01'`);
    await api.superuser.query('analyze support_ticket, invoice');
    const [ticket, invoice] = [await anyOf('support_ticket'), await anyOf('invoice')];
    const tickets = api.app.get(TicketsOperatorService);
    const byTicket = [expect.stringContaining('Index Scan using support_ticket_id_idx')];
    expect(await plansOf('support_ticket', () => operator.call(`/tickets/${ticket}`))).toEqual(byTicket);
    expect(await plansOf('support_ticket', () => tickets.titlesOf([ticket]))).toEqual(byTicket);
    const byInvoice = [expect.stringContaining('Index Scan using invoice_id_idx')];
    expect(await plansOf('invoice', () => operator.call(`/invoices/${invoice}`))).toEqual(byInvoice);
    await api.superuser.query(`delete from support_ticket where title = 'Many'`);
    await api.superuser.query(`delete from invoice where number like 'many%'`);
  });

  it('look once among the deliveries of all for one that is sent again', async () => {
    const { deliveryId } = await saveFakeDelivery(api.superuser, customer);
    const sendAgain = () => operator.post(`/webhook-deliveries/${deliveryId}/redeliver`);
    expect(await plansOf('webhook_delivery', sendAgain)).toHaveLength(1);
    await api.superuser.query('delete from webhook_delivery');
    await api.superuser.query('delete from webhook_endpoint');
  });

  itOnOneServer('find the few rows with a text by an index of its parts', 'its nodes plan', async () => {
    const { superuser } = api;
    const of = (select: string) =>
      superuser.query(`${select} from generate_series(1, 10000) n where $1::uuid is not null`, [customer]);
    await of(`insert into customer (id, name, organization_number, customer_number, email)
      select gen_random_uuid(), 'Many ' || md5(n::text), '123456785', 'M' || n, 'm' || n || '@example.com'`);
    await of(
      `insert into support_ticket (customer_id, id, title, body) select $1, gen_random_uuid(), 'Many', md5(n::text)`,
    );
    await of(`insert into support_ticket_reply (customer_id, id, ticket_id, author, body)
      select $1, gen_random_uuid(), (select id from support_ticket where title = 'Many' limit 1), 'customer', md5(n::text)`);
    await of(`insert into invoice (customer_id, id, source, source_id, number, status, currency, amount, amount_due, issue_date)
      select $1, gen_random_uuid(), 'manual', n, md5(n::text), 'open', 'NOK', 100, 100, '2026-11-01'`);
    await of(`insert into ai_credit_request (customer_id, amount_nok, reference, note, created_at)
      select $1, 500, md5(n::text), md5(n::text), now()`);
    await superuser.query('vacuum analyze');
    const dataSource = api.app.get(DataSource);
    const runner = dataSource.createQueryRunner();
    const sent = jest.spyOn(Object.getPrototypeOf(runner) as typeof runner, 'query');
    await runner.release();
    for (const [path, ...indexes] of [
      ['/tickets', 'support_ticket_text_idx', 'support_ticket_reply_text_idx'],
      ['/customers', 'customer_text_idx'],
      ['/invoices', 'invoice_number_text_idx', 'customer_text_idx'],
      ['/credit-requests', 'ai_credit_request_text_idx', 'customer_text_idx'],
    ] as const) {
      await page(`${path}?search=none%20has%20it`);
      const searches = sent.mock.calls.splice(0).filter(([text]) => /^select.*ilike/is.test(text));
      expect(searches).toHaveLength(3);
      for (const [text, values] of searches) {
        const plan = JSON.stringify(await dataSource.query<object[]>(`explain ${text}`, values as unknown[]));
        for (const index of indexes) expect([text, plan]).toEqual([text, expect.stringContaining(index)]);
        expect([text, plan]).toEqual([
          text,
          expect.not.stringMatching(/Seq Scan on (customer|support_ticket|support_ticket_reply) /),
        ]);
      }
    }
    sent.mockRestore();
  });

  it('have customers in each order, and in the opposite one', async () => {
    const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000);
    for (const [number, name, createdAt] of [
      ['0-3', '0 b', ago(2)],
      ['0-1', '0 A', ago(1)],
      ['0-2', '0 C', ago(3)],
    ] as const) {
      const { id } = await saveFakeCustomer(api.superuser, { customerNumber: number, name });
      await api.superuser.query('update customer set created_at = $2 where id = $1', [id, createdAt]);
    }
    const columns = { customer_number: 'customer_number', name: 'lower(name)', created_at: 'created_at' };
    for (const [sort, column] of Object.entries(columns))
      for (const direction of ['asc', 'desc']) {
        const { rows } = await api.superuser.query<{ id: string }>(
          `select id from customer order by ${column} ${direction}, id ${direction} limit 100`,
        );
        const { data } = await page(`/customers?limit=100&sort=${direction === 'asc' ? '' : '-'}${sort}`);
        expect({ sort, direction, ids: data.map(({ id }) => id) }).toEqual({
          ...{ sort, direction },
          ids: rows.map(({ id }) => id),
        });
      }
  });
});
