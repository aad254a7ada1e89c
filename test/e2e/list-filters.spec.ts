import { randomUUID } from 'node:crypto';
import { EntityReadsService } from '@platform/database';
import { createCaller, startApi, type TestApi } from '@test/api';
import { expectProblem } from '@test/expect-problem';
import { saveFakeInvoice } from '@test/factories/invoice.factory';
import { itOnOneServer } from '@test/kinds-of-server';
import { timedId } from '@test/timed-id';

interface Page {
  data: { number: string }[];
  next_cursor: string;
}

describe('filters of lists', () => {
  let api: TestApi;
  let me: Awaited<ReturnType<typeof createCaller>>;
  beforeAll(async () => {
    api = await startApi();
    me = await createCaller(api);
    for (const number of ['1', '2', '3', '4']) await saveFakeInvoice(api.superuser, me.customer.id, { number });
  });
  afterAll(() => api.stop());

  const read = async (query: string) => {
    const reply = await me.call(`/invoices?${query}`);
    expect(reply.status).toBe(200);
    return (await reply.json()) as Page;
  };

  it.each([
    ['a filter that was added', 'limit=1', 'status=open'],
    ['a filter that was left out', 'limit=1&status=open', 'limit=1'],
    ['another value', 'limit=1&issue_date_from=2025-01-01', 'issue_date_from=2025-01-02'],
    ['the value of another filter', 'limit=1&issue_date_from=2026-01-01', 'issue_date_to=2026-01-01'],
    ['a range of time', 'limit=1', 'created_after=2026-01-01T00:00:00Z'],
    ['another range of time', 'limit=1&created_after=2026-01-01T00:00:00Z', 'created_after=2026-01-02T00:00:00Z'],
    ['the other end of a range', 'limit=1&created_before=2100-01-01T00:00:00Z', 'created_after=2100-01-01T00:00:00Z'],
  ])('refuse a cursor under %s', async (_name, before, after) => {
    const { next_cursor } = await read(before);
    const problem = await expectProblem(
      await me.call(`/invoices?${after}&cursor=${next_cursor}`),
      400,
      'invalid_request',
    );
    expect(problem.errors).toEqual([
      { pointer: '/cursor', detail: 'cursor comes from another list or other filters; begin again without it' },
    ]);
  });

  it('take a cursor with the same moment in another zone', async () => {
    const { next_cursor } = await read('limit=1&created_after=2026-01-01T00:00:00Z');
    const query = `created_after=${encodeURIComponent('2026-01-01T01:00:00+01:00')}&cursor=${next_cursor}`;
    expect((await read(query)).data).toHaveLength(3);
  });

  it('take a cursor with another limit', async () => {
    const { next_cursor } = await read('limit=1&status=open');
    expect((await read(`limit=3&status=open&cursor=${next_cursor}`)).data).toHaveLength(3);
  });

  it('refuse the cursor of credit requests under another status', async () => {
    const first = await api.superuser.query<{ id: number }>(
      `insert into ai_credit_request (customer_id, amount_nok, created_at) values ($1, 100, now()), ($1, 200, now()) returning id`,
      [me.customer.id],
    );
    expect(first.rows).toHaveLength(2);
    const { next_cursor } = (await (await me.call('/ai/credit-requests?limit=1&status=pending')).json()) as Page;
    for (const query of ['status=approved&', '']) {
      const reply = await me.call(`/ai/credit-requests?${query}cursor=${next_cursor}`);
      await expectProblem(reply, 400, 'invalid_request');
    }
  });

  it('refuse reversed dates', async () => {
    const reply = await me.call('/invoices?issue_date_from=2026-02-01&issue_date_to=2026-01-31');
    const problem = await expectProblem(reply, 400, 'invalid_request');
    expect(problem.errors).toEqual([
      { pointer: '/issue_date_to', detail: 'issue_date_to must not be before issue_date_from' },
    ]);
    expect((await read('issue_date_from=2026-01-01&issue_date_to=2026-01-01')).data).toHaveLength(4);
  });
});

/** Every list: a status that items can have and another one, and how an item with a status and a time is stored. */
const LISTS: [path: string, table: string, statuses: [string, string], unknown: string, columns: object][] = [
  ['/services', 'customer_service', ['active', 'suspended'], 'open', { type: 'ai', name: 'A' }],
  ['/status', 'customer_service', ['operational', 'outage'], 'active', { type: 'ai', name: 'A' }],
  ['/support/tickets', 'support_ticket', ['open', 'closed'], 'new', { id: true, title: 'a', body: 'b' }],
  ['/ai/credit-requests', 'ai_credit_request', ['pending', 'rejected'], 'open', { amount_nok: 100 }],
  [
    '/sms/log',
    'sms_message',
    ['sent', 'failed'],
    'read',
    {
      id: timedId,
      recipient: '+4790000000',
      sender_id: 'A',
      message: 'b',
      segments: 1,
      encoding: 'GSM-7',
      gateway: 'x',
    },
  ],
  [
    '/invoices',
    'invoice',
    ['open', 'paid'],
    'draft',
    {
      id: true,
      source: 'manual',
      source_id: true,
      number: '1',
      currency: 'NOK',
      amount: 1,
      amount_due: 1,
      issue_date: '2026-01-01',
    },
  ],
];

describe.each(LISTS)('the filters of GET %s', (path, table, [status, other], unknown, columns) => {
  let api: TestApi;
  let me: Awaited<ReturnType<typeof createCaller>>;
  /** Items at noon of the first days of January 2026, the last two of which have the other status. */
  let ids: string[];
  beforeAll(async () => {
    api = await startApi();
    me = await createCaller(api);
    ids = [];
    for (const day of [1, 2, 3, 4, 5]) ids.push(await add(day, day > 3 ? other : status));
  });
  afterAll(() => api.stop());

  async function add(day: number, its: string): Promise<string> {
    const record: Record<string, unknown> = { ...columns, customer_id: me.customer.id, created_at: at(day) };
    if (path !== '/status') record.status = its;
    if (its === 'rejected') record.decided_at = new Date();
    const values = Object.values(record).map((value) => {
      if (typeof value === 'function') return (value as typeof timedId)(at(day));
      return value === true ? randomUUID() : value;
    });
    const { rows } = await api.superuser.query<{ id: number | string }>(
      `insert into ${table} (${Object.keys(record).join(', ')}) values (${values.map((_, n) => `$${n + 1}`).join(', ')})
       returning id`,
      values,
    );
    const id = rows[0]?.id;
    if (path === '/status' && its !== status)
      await api.superuser.query(
        `insert into status_event (customer_id, id, service_id, status, message, starts_at)
         values ($1, gen_random_uuid(), $2, $3, 'x', '2026-01-01')`,
        [me.customer.id, id, its],
      );
    return String(id);
  }
  const at = (day: number, micros = '000000') => `2026-01-0${day}T12:00:00.${micros}Z`;
  const read = async (query: string, call = me.call) => {
    const reply = await call(`${path}?${query}`);
    expect({ query, status: reply.status }).toEqual({ query, status: 200 });
    const { data, next_cursor } = (await reply.json()) as {
      data: { id?: number | string; service_id?: number }[];
      next_cursor: string | null;
    };
    return { days: data.map((item) => ids.indexOf(String(item.id ?? item.service_id)) + 1), next_cursor };
  };
  const days = async (query: string) => (await read(query)).days;

  it('leave what has the status', async () => {
    expect(await days(`status=${status}`)).toEqual([3, 2, 1]);
    expect(await days(`status=${other}`)).toEqual([5, 4]);
  });

  it('leave what was created from one moment on and before another', async () => {
    expect(await days(`created_after=${at(2)}`)).toEqual([5, 4, 3, 2]);
    expect(await days(`created_after=${at(2, '000001')}`)).toEqual([5, 4, 3]);
    expect(await days(`created_before=${at(3)}`)).toEqual([2, 1]);
    expect(await days(`created_before=${at(3, '000001')}`)).toEqual([3, 2, 1]);
    expect(await days(`created_after=${at(2)}&created_before=${at(4)}`)).toEqual([3, 2]);
    expect(await days(`created_after=${at(2)}&created_before=${at(2)}`)).toEqual([]);
    expect(await days(`created_after=${at(2)}&status=${status}`)).toEqual([3, 2]);
    expect(await days(`created_after=${encodeURIComponent('2026-01-05T13:00:00+01:00')}`)).toEqual([5]);
  });

  it('hold for every page', async () => {
    for (const [query, expected] of [
      [`status=${status}`, [3, 2, 1]],
      [`created_after=${at(2)}`, [5, 4, 3, 2]],
      [`created_after=${at(2)}&created_before=${at(5)}&status=${status}`, [3, 2]],
    ] as const) {
      const seen: number[] = [];
      for (let cursor = ''; ;) {
        const page = await read(`limit=1&${query}${cursor}`);
        seen.push(...page.days);
        if (page.next_cursor === null) break;
        cursor = `&cursor=${page.next_cursor}`;
      }
      expect(seen).toEqual(expected);
    }
  });

  it('are clear about values that are none', async () => {
    const later = 'must not be before created_after';
    for (const [query, field, detail] of [
      [`status=${unknown}`, 'status', 'must be one of'],
      ['status=', 'status', 'must be one of'],
      [`status=${status}&status=${other}`, 'status', 'only once'],
      ['created_after=yesterday', 'created_after', 'must be a time as RFC 3339'],
      ['created_before=2026-02-30T00:00:00Z', 'created_before', 'must be a time that exists'],
      ['created_before=2026-01-01T00:00:00+01:00', 'created_before', 'write it as %2B'],
      [`created_after=${at(1)}&created_after=${at(1)}`, 'created_after', 'only once'],
      [`created_after=${at(2)}&created_before=${at(1)}`, 'created_before', later],
    ] as const) {
      const problem = await expectProblem(await me.call(`${path}?${query}`), 400, 'invalid_request');
      expect(problem.errors).toEqual([{ pointer: `/${field}`, detail: expect.stringContaining(detail) }]);
    }
  });

  it("never show another customer's", async () => {
    const { call } = await createCaller(api);
    for (const query of [`status=${status}`, `created_after=${at(1)}`]) {
      expect((await read(query, call)).days).toEqual([]);
    }
  });
});

/** Statements are read once with generic plans, as a connection does that has run them a few times. */
describe('the statements of lists', () => {
  itOnOneServer('read along an index in the order of the list, whatever is filtered', 'its nodes plan', async () => {
    const api = await startApi();
    const me = await createCaller(api);
    const others = [await createCaller(api), await createCaller(api)];
    for (const { customer } of [me, ...others]) {
      await api.superuser.query(
        `insert into support_ticket (customer_id, id, title, body, status, created_at)
         select $1, gen_random_uuid(), 'a', 'b', (array['open', 'pending', 'resolved', 'closed'])[1 + n % 4], now() - n * interval '1 hour'
         from generate_series(1, 3000) n`,
        [customer.id],
      );
    }
    await api.superuser.query('analyze support_ticket');
    await api.superuser.query('set plan_cache_mode = force_generic_plan');
    const statements = api.app.get(EntityReadsService).defined.filter(({ name }) => name.startsWith('support.tickets'));
    expect(statements.map(({ name }) => name.replace('support.tickets', '')).sort()).toEqual(
      [
        '',
        '.after',
        '.range',
        '.range.after',
        '.status',
        '.status.after',
        '.status.range',
        '.status.range.after',
      ].sort(),
    );
    // As the API: row level security keeps some conditions from being index conditions.
    await api.superuser.query('begin');
    await api.superuser.query('set local role customer_api');
    await api.superuser.query('set local plan_cache_mode = force_generic_plan');
    await api.superuser.query('select app.set_customer($1)', [me.customer.id]);
    for (const { name, text } of statements) {
      await api.superuser.query(`prepare "${name}" as ${text}`);
      const values = [
        `'${me.customer.id}'`,
        '51',
        ...(name.includes('status') ? [`'pending'`] : []),
        ...(name.includes('range') ? [`now() - interval '100 days'`, 'null'] : []),
        ...(name.includes('after') ? [`now() - interval '10 days'`, `'${randomUUID()}'`] : []),
      ];
      const { rows } = await api.superuser.query<{ 'QUERY PLAN': string }>(
        `explain execute "${name}" (${values.join(', ')})`,
      );
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      const index = name.includes('status') ? 'support_ticket_status_idx' : 'support_ticket_newest_idx';
      // Apart from the bytes at which the page ends.
      const outer = (plan.split(/SubPlan|Aggregate/)[0] ?? '').replace(/Filter: .*page\."pageBytes".*/, '');
      expect([name, outer]).toEqual([name, expect.stringContaining(`using ${index} on support_ticket`)]);
      expect([name, outer]).toEqual([name, expect.not.stringMatching(/Sort|^\s*Filter/m)]);
    }
    await api.superuser.query('rollback');
    await api.stop();
  });
});
