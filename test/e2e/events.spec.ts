import { CUSTOMER_EVENT_TYPES, EVENT_TYPES, EventsService, EventWaitsService, OPERATOR_EVENTS } from '@domains/events';
import { CustomerContextService } from '@platform/context';
import { type Scope } from '@platform/tokens';
import { caller, createCaller, startApi, type TestApi } from '@test/api';
import { expectProblem } from '@test/expect-problem';
import { saveFakeToken } from '@test/factories/service-token.factory';
import { operatorCommand } from '@test/operator-command';
import { describeAuthentication } from '@test/suites/authentication.suite';
import { connectAsSuperuser } from '@test/test-database';
import { until } from '@test/until';
import type { EventPageDto } from '../../apps/customer-api/src/events/event-query.dto';

/** The event log over HTTP: what each reader sees, and when. */
describe('GET /events', () => {
  let api: TestApi;
  beforeAll(async () => (api = await startApi()));
  afterAll(() => api.stop());

  describeAuthentication(() => api, { method: 'GET', path: '/events' }, 'events:read');

  type Call = (path: string, init?: RequestInit) => Promise<Response>;
  const read = async (call: Call, query = '') => {
    const reply = await call(`/events${query}`);
    const text = await reply.text();
    expect({ status: reply.status, text }).toMatchObject({ status: 200 });
    return JSON.parse(text) as EventPageDto;
  };
  const record = (customerId: string, type: string, n: number | string, data: object | null = { id: n }) =>
    api.superuser.query('select app.record_event($1, $2, $3, $4)', [
      customerId,
      type,
      JSON.stringify({ id: n }),
      data && JSON.stringify(data),
    ]);
  const numbers = ({ data }: EventPageDto) => data.map((event) => (event.data as { id: unknown }).id);
  /** A long log of events of another type than those that are asked for. */
  const manyReplies = (customerId: string, count: number) =>
    api.superuser.query(
      `insert into event (customer_id, id, type, reference, created_at)
       select $1, app.new_id(), 'ticket.replied', '{"id": 1}', now() from generate_series(1, $2::integer)`,
      [customerId, count],
    );
  /** Tickets whose records have no thread, so that nothing is to be mapped. */
  const many = async (customerId: string, count: number, type = 'ticket.replied') => {
    for (let n = 1; n <= count; n++) await record(customerId, type, n, null);
  };
  const waitingRequests = (customerId: string, count: number, on = api) =>
    until(() => on.app.get(EventWaitsService, { strict: false }).waitingOf(customerId) === count);

  it('begins with the oldest, and goes on where the cursor says; the last page has a cursor, too', async () => {
    const { customer, call } = await createCaller(api);
    await many(customer.id, 5);
    const first = await read(call, '?limit=2');
    expect({ ...first, data: numbers(first) }).toEqual({
      data: [1, 2],
      has_more: true,
      next_cursor: expect.any(String),
    });
    const second = await read(call, `?limit=2&cursor=${first.next_cursor}`);
    const third = await read(call, `?limit=2&cursor=${second.next_cursor}`);
    expect([numbers(second), numbers(third), third.has_more]).toEqual([[3, 4], [5], false]);
    const nothing = await read(call, `?cursor=${third.next_cursor}`);
    expect(nothing).toEqual({ data: [], has_more: false, next_cursor: third.next_cursor });
    await record(customer.id, 'ticket.replied', 6, null);
    expect(numbers(await read(call, `?cursor=${nothing.next_cursor}`))).toEqual([6]);
  });

  it('misses none at the beginning of a log, where one that began earlier was committed later', async () => {
    const { customer, call } = await createCaller(api);
    const { next_cursor: cursor } = await read(call);
    const open = await connectAsSuperuser(api.database);
    await open.query('begin');
    await open.query('select app.record_event($1, $2, $3, null)', [customer.id, 'ticket.replied', { id: 1 }]);
    await record(customer.id, 'ticket.replied', 2, null);
    // It has its position before the other is seen.
    expect(numbers(await read(call))).toEqual([2]);
    await open.query('commit');
    expect(numbers(await read(call))).toEqual([2, 1]);
    expect(numbers(await read(call, `?cursor=${cursor}`))).toEqual([2, 1]);
  });

  it('is empty for a customer to whom nothing happened, and has a cursor all the same', async () => {
    const { customer, call } = await createCaller(api);
    const empty = await read(call);
    expect(empty).toEqual({ data: [], has_more: false, next_cursor: '0' });
    await many(customer.id, 1);
    expect(numbers(await read(call, `?cursor=${empty.next_cursor}`))).toEqual([1]);
  });

  it('shows each event with the same id and time each time it is asked', async () => {
    const { customer, call } = await createCaller(api);
    await many(customer.id, 3);
    const once = await read(call);
    expect(await read(call)).toEqual(once);
    expect(new Set(once.data.map(({ id }) => id)).size).toBe(3);
    expect(once.data[0]).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      type: 'ticket.replied',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
      data: { id: 1 },
    });
  });

  it('filters by types, and its cursor passes the others', async () => {
    const { customer, call } = await createCaller(api);
    for (let n = 1; n <= 6; n++)
      await record(customer.id, n % 3 === 0 ? 'ticket.status_changed' : 'ticket.replied', n, null);
    const found = await read(call, '?types=ticket.status_changed');
    expect([numbers(found), found.has_more]).toEqual([[3, 6], false]);
    expect(numbers(await read(call, '?types=ticket.status_changed,ticket.replied'))).toHaveLength(6);
    const none = await read(call, '?types=sms.failed');
    expect(none).toEqual({ data: [], has_more: false, next_cursor: found.next_cursor });
  });

  it('ends a page at 256 kB of records, and goes on behind it', async () => {
    const { customer, call } = await createCaller(api, { scopes: ['events:read'] });
    for (let n = 1; n <= 40; n++) await record(customer.id, 'ticket.replied', n, { text: 'x'.repeat(19_000) });
    const pages = [await read(call, '?limit=200')];
    while (pages.at(-1)?.has_more) pages.push(await read(call, `?limit=200&cursor=${pages.at(-1)?.next_cursor}`));
    expect(pages.map(({ data }) => data.length)).toEqual([14, 14, 12]);
    expect(pages.flatMap(numbers)).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
  });

  it('looks through a long log of other types piece by piece', async () => {
    const { customer, call } = await createCaller(api);
    await manyReplies(customer.id, 4100);
    await record(customer.id, 'sms.failed', 'last', null);
    let page = await read(call, '?types=sms.failed');
    let pages = 1;
    for (; page.has_more; pages++) {
      expect(page.data).toEqual([]);
      page = await read(call, `?types=sms.failed&cursor=${page.next_cursor}`);
    }
    expect([numbers(page), pages]).toEqual([['last'], 9]);
  });

  it.each([
    ['a cursor that is no position', '?cursor=abc', 'cursor'],
    ['a cursor beyond the log', '?cursor=999', 'cursor'],
    ['an unknown type', '?types=ticket.replied,ticket.eaten', 'types'],
    ["a type of the operator's", '?types=ticket.created', 'types'],
    ['no type', '?types=', 'types'],
    ['a wait of 31 s', '?wait=31', 'wait'],
    ['a wait below nothing', '?wait=-1', 'wait'],
    ['a limit of 201', '?limit=201', 'limit'],
  ])('refuses %s', async (_name, query, field) => {
    const { call } = await createCaller(api);
    const problem = await expectProblem(await call(`/events${query}`), 400, 'invalid_request');
    expect(problem.errors).toEqual([{ pointer: `/${field}`, detail: problem.detail }]);
  });

  it.each([
    ['ticket.eaten', /; ticket\.eaten is none of them$/],
    ['<b>', /; number 2 is none of them$/],
    ['', /; number 2 is none of them$/],
  ])('says which of the types does not exist: %s', async (type, detail) => {
    const { call } = await createCaller(api);
    const types = ['ticket.replied', type];
    const asked = await call(`/events?types=${encodeURIComponent(types.join(','))}`);
    expect((await expectProblem(asked, 400, 'invalid_request')).detail).toMatch(detail);
    const made = await call('/webhooks/endpoints', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ url: 'https://erp.fjordlys.example/hooks', event_types: types }),
    });
    expect((await expectProblem(made, 400, 'invalid_request')).detail).toMatch(detail);
  });

  it("shows nobody another customer's events, whatever the cursor", async () => {
    const [one, other] = [await createCaller(api), await createCaller(api)];
    await many(one.customer.id, 3);
    await many(other.customer.id, 3, 'sms.failed');
    const pages = [await read(one.call), await read(other.call), await read(other.call, '?cursor=1')];
    expect(pages.map(({ data }) => data.map(({ type }) => type))).toEqual([
      Array(3).fill('ticket.replied'),
      Array(3).fill('sms.failed'),
      Array(2).fill('sms.failed'),
    ]);
  });

  it('does not show what only the operator is told', async () => {
    const { customer, call } = await createCaller(api);
    for (const type of Object.keys(OPERATOR_EVENTS))
      await api.superuser.query(`select app.record_operator_event($1, $2, '{"id": 1}', '{"id": 1}')`, [
        customer.id,
        type,
      ]);
    await many(customer.id, 1);
    expect((await read(call)).data.map(({ type }) => type)).toEqual(['ticket.replied']);
    expect(EVENT_TYPES).toHaveLength(CUSTOMER_EVENT_TYPES.length + 4);
  });

  it('shows the record to a token with the scope of its own operation, and its id to others', async () => {
    const { customer } = await createCaller(api);
    const sms = {
      ...{ id: 'x', recipient: '+4790000000', senderId: 'A', message: 'Secret', status: 'failed', segments: 1 },
      ...{ encoding: 'GSM-7', errorCode: null, deliveredAt: null },
      ...{ createdAt: '2026-11-20T12:00:00.000000Z', updatedAt: '2026-11-20T12:00:00.000000Z' },
    };
    await record(customer.id, 'sms.failed', 'x', sms);
    const seenWith = async (...scopes: Scope[]) => {
      const { token } = await saveFakeToken(api.superuser, customer.id, { scopes: ['events:read', ...scopes] });
      return (await read(caller(api.baseUrl, token))).data[0]?.data;
    };
    expect(await seenWith()).toEqual({ id: 'x' });
    expect(await seenWith('support:read', 'sms:send', 'ai:read')).toEqual({ id: 'x' });
    expect(await seenWith('sms:read')).toMatchObject({ id: 'x', message: 'Secret', to: '+4790000000' });
  });

  it.each([
    ['its id alone of a record of more than 20 kB', 20_001, false],
    ['all of a smaller one', 19_000, true],
  ])('shows %s', async (_name, length, whole) => {
    const { customer, call } = await createCaller(api);
    const token = { id: 't', name: 'x'.repeat(length), expiresAt: '2026-11-20T12:00:00.000000Z' };
    await record(customer.id, 'token.expiring', 't', token);
    const [event] = (await read(call)).data;
    expect(Object.keys(event?.data ?? {})).toEqual(whole ? ['id', 'name', 'expires_at'] : ['id']);
  });

  it('forgets after 30 days: an older cursor goes on with the oldest that are left', async () => {
    const { customer, call } = await createCaller(api);
    for (const [days, n] of [
      [31, 1],
      [29, 2],
      [0, 3],
    ])
      await api.superuser.query(
        `insert into event (customer_id, id, type, reference, created_at)
         values ($1, app.first_id(now() - make_interval(days => $2)), 'ticket.replied', json_build_object('id', $3::int), now())`,
        [customer.id, days, n],
      );
    expect(numbers(await read(call))).toEqual([2, 3]);
    expect(numbers(await read(call, '?cursor=0'))).toEqual([2, 3]);
    expect(numbers(await read(call, '?cursor=2'))).toEqual([3]);
  });

  describe('with wait', () => {
    it('replies at once if there are events, and when there is one', async () => {
      const { customer, call } = await createCaller(api);
      await many(customer.id, 1);
      const first = await read(call, '?wait=30');
      expect(numbers(first)).toEqual([1]);
      const waiting = read(call, `?wait=30&cursor=${first.next_cursor}`);
      await waitingRequests(customer.id, 1);
      await record(customer.id, 'ticket.replied', 2, null);
      expect(numbers(await waiting)).toEqual([2]);
      await waitingRequests(customer.id, 0);
    });

    it('goes on waiting while there are only events of other types', async () => {
      const { customer, call } = await createCaller(api);
      const waiting = read(call, '?wait=30&types=sms.failed');
      await waitingRequests(customer.id, 1);
      await many(customer.id, 2);
      await record(customer.id, 'sms.failed', 3, null);
      expect(numbers(await waiting)).toEqual([3]);
    });

    it('does not reply to a token that was deactivated meanwhile', async () => {
      const { customer, call } = await createCaller(api);
      const waiting = call('/events?wait=30');
      await waitingRequests(customer.id, 1);
      await operatorCommand(api.database, ['customer', 'deactivate', '--customer', customer.id, '--yes']);
      await many(customer.id, 1);
      await expectProblem(await waiting, 401, 'unauthorized');
    });

    it('replies without events when the time is over', async () => {
      const { call } = await createCaller(api);
      expect(await read(call, '?wait=1')).toEqual({ data: [], has_more: false, next_cursor: '0' });
    });

    it('does so though a long log of other types is not looked through: the cursor goes on there', async () => {
      const { customer, call } = await createCaller(api);
      await manyReplies(customer.id, 1100);
      await record(customer.id, 'sms.failed', 'last', null);
      const events = api.app.get(EventsService, { strict: false });
      const context = api.app.get(CustomerContextService, { strict: false });
      const request = { types: ['sms.failed'] as const, limit: 50 };
      const over = { ms: 30_000, gone: AbortSignal.abort() };
      const found = await context.run(customer.id, () => events.list(request, over));
      expect(found).toEqual({ events: [], position: '500', more: true });
      expect(numbers(await read(call, `?wait=30&types=sms.failed&cursor=${found.position}`))).toEqual(['last']);
    });

    it('lets five requests of a customer wait, and as many of each other one', async () => {
      const [{ customer, call }, other] = [await createCaller(api), await createCaller(api)];
      const gone = new AbortController();
      const waiting = Array.from({ length: 5 }, () => call('/events?wait=30', { signal: gone.signal }));
      await waitingRequests(customer.id, 5);
      const problem = await expectProblem(await call('/events?wait=30'), 429, 'rate_limited');
      expect(problem.detail).toContain('5 of your requests');
      // Without waiting there is no bound.
      expect(await read(call)).toMatchObject({ data: [] });
      expect(await read(other.call, '?wait=1')).toMatchObject({ data: [] });
      gone.abort();
      await Promise.allSettled(waiting);
      await waitingRequests(customer.id, 0);
      expect(await read(call, '?wait=1')).toMatchObject({ data: [] });
    });

    it('replies to any number of requests for which there are events, while five wait for others', async () => {
      const { customer, call } = await createCaller(api);
      const gone = new AbortController();
      const waiting = Array.from({ length: 5 }, () =>
        call('/events?wait=30&types=sms.failed', { signal: gone.signal }),
      );
      await waitingRequests(customer.id, 5);
      await many(customer.id, 1);
      expect(numbers(await read(call, '?wait=30'))).toEqual([1]);
      gone.abort();
      await Promise.allSettled(waiting);
    });

    it('looks behind what the request has read that has read least, beside others of its customer', async () => {
      const { customer, call } = await createCaller(api);
      await many(customer.id, 2);
      const { next_cursor: last } = await read(call);
      const waits = api.app.get(EventWaitsService, { strict: false });
      // As of a request that has read before there was an event, and others that came between that and the look.
      const found = api.app.get(CustomerContextService, { strict: false }).run(customer.id, () =>
        [last, '0', last].map(async (position) => {
          const wait = waits.begin(5_000, new AbortController().signal);
          return wait.forEventBehind(position).finally(() => wait.end());
        }),
      );
      expect(await Promise.all(found)).toEqual([true, true, true]);
    });

    it('keeps no connection to the database', async () => {
      const callers = await Promise.all(Array.from({ length: 20 }, () => createCaller(api)));
      const gone = new AbortController();
      const waiting = callers.map(({ call }) => call('/events?wait=30', { signal: gone.signal }));
      for (const { customer } of callers) await waitingRequests(customer.id, 1);
      await until(async () => {
        const { rows } = await api.superuser.query<{ busy: number }>(
          `select count(*)::int as busy from pg_stat_activity where datname = current_database() and usename <> current_user
             and (state like 'idle in transaction%' or wait_event_type = 'Lock')`,
        );
        return rows[0]?.busy === 0;
      });
      gone.abort();
      await Promise.allSettled(waiting);
    });
  });

  it('ends with what there is when the process stops', async () => {
    const stopping = await startApi();
    try {
      const { customer, call } = await createCaller(stopping);
      const waiting = read(call, '?wait=30');
      await waitingRequests(customer.id, 1, stopping);
      await stopping.app.close();
      expect(await waiting).toEqual({ data: [], has_more: false, next_cursor: '0' });
    } finally {
      await stopping.stop();
    }
  });
});
