import { randomUUID } from 'node:crypto';
import { Connection } from 'pg';
import { createCaller, startApi, type TestApi } from '@test/api';
import { expectProblem } from '@test/expect-problem';
import { saveFakeService } from '@test/factories/service.factory';
import { describeAuthentication } from '@test/suites/authentication.suite';
import { describePaging } from '@test/suites/paging.suite';
import { describeValidation } from '@test/suites/validation.suite';
import type { TicketDto } from '@records/ticket.dto';
import type { TicketPageDto } from '../../apps/customer-api/src/support/ticket.dto';

const body = { title: 'Cannot log in', body: 'The portal answers with an error.' };
const POST = { method: 'POST', path: '/support/tickets', body } as const;

let api: TestApi;
beforeAll(async () => (api = await startApi()));
afterAll(() => api.stop());

type Caller = Awaited<ReturnType<typeof createCaller>>;
const open = ({ call }: Caller, ticket: object = {}) =>
  call('/support/tickets', {
    method: 'POST',
    body: JSON.stringify({ ...body, ...ticket }),
    headers: { 'content-type': 'application/json' },
  });
const list = async ({ call }: Caller, query = '') =>
  (await (await call(`/support/tickets${query}`)).json()) as TicketPageDto;
const addReply = (
  ticketId: string,
  customerId: string,
  reply: { author: string; internal?: boolean; body: string },
  at: string,
) =>
  api.superuser.query(
    `insert into support_ticket_reply (customer_id, id, ticket_id, author, internal, body, created_at)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [customerId, randomUUID(), ticketId, reply.author, reply.internal ?? false, reply.body, at],
  );

describe('POST /support/tickets', () => {
  describeAuthentication(() => api, POST, 'support:write');

  describeValidation(() => api, POST, 'title', {
    accepted: [
      ['1 character', 'a'],
      ['160 characters', 'a'.repeat(160)],
      ['160 emoji', '😀'.repeat(160)],
      ['80 letters with combining accents', 'e\u0301'.repeat(80)],
      ['two lines', 'Fwd: Printer\r\nIt is on fire'],
    ],
    refused: [
      ['161 characters', 'a'.repeat(161)],
      ['161 emoji', '😀'.repeat(161)],
      ['161 characters of which one combines', `${'a'.repeat(160)}\u0301`],
      ['none', ''],
      ['a number', 5],
      ['null', null],
      ['a missing field', undefined],
      ['the null character', 'a\0b'],
      ['half an emoji', 'a\ud83d'],
    ],
  });

  describeValidation(() => api, POST, 'body', {
    accepted: [
      ['1 character', 'a'],
      ['5000 characters', 'a'.repeat(5000)],
      ['5000 emoji', '😀'.repeat(5000)],
      ['2500 letters with combining accents', 'o\u0308'.repeat(2500)],
    ],
    refused: [
      ['5001 characters', 'a'.repeat(5001)],
      ['5001 emoji', '😀'.repeat(5001)],
      ['none', ''],
      ['an object', {}],
      ['a missing field', undefined],
    ],
  });

  describeValidation(() => api, POST, 'priority', {
    accepted: [
      ['low', 'low'],
      ['normal', 'normal'],
      ['high', 'high'],
      ['urgent', 'urgent'],
      ['a missing field', undefined],
    ],
    refused: [
      ['another word', 'critical'],
      ['another case', 'High'],
      ['nothing', ''],
      ['a number', 1],
    ],
  });

  describeValidation(() => api, POST, 'service_id', {
    accepted: [['a missing field', undefined]],
    refused: [
      ['a text', '1'],
      ['a fraction', 1.5],
      ['a flag', true],
    ],
  });

  for (const field of ['resource_type', 'resource_id']) {
    describeValidation(() => api, POST, field, {
      accepted: [
        ['a text', 'order'],
        ['255 characters', 'a'.repeat(255)],
        ['a missing field', undefined],
      ],
      refused: [
        ['256 characters', 'a'.repeat(256)],
        ['a number', 5],
        ['the null character', '\0'],
      ],
    });
  }

  it('opens a ticket with all it was given', async () => {
    const caller = await createCaller(api);
    const service = await saveFakeService(api.superuser, caller.customer.id);
    const more = {
      title: 'Fwd:\nPrinter',
      priority: 'urgent',
      service_id: service.id,
      resource_type: 'order',
      resource_id: 'A-1',
    };
    const reply = await open(caller, { ...more, customer_id: randomUUID(), status: 'closed', id: randomUUID() });
    expect(reply.status).toBe(201);
    const ticket = (await reply.json()) as TicketDto;
    const expected = { ...body, ...more, status: 'open', replies: [], reply_count: 0 };
    expect(ticket).toEqual({
      ...expected,
      id: expect.any(String),
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect((await list(caller)).data).toEqual([ticket]);
    const { rows } = await api.superuser.query('select action, actor, metadata from audit_log where customer_id = $1', [
      caller.customer.id,
    ]);
    expect(rows).toEqual([
      { action: 'ticket.open', actor: `token:${caller.token.id}`, metadata: { ticket_id: ticket.id } },
    ]);
  });

  it("gives 404 for another customer's service, an unknown one and an impossible one, and stores nothing", async () => {
    const caller = await createCaller(api);
    const other = await createCaller(api);
    const theirs = await saveFakeService(api.superuser, other.customer.id);
    const received = jest.spyOn(Connection.prototype, 'emit');
    for (const service_id of [theirs.id, 2_000_000_000, 0, -1, 2 ** 31, 2 ** 53, 1e300]) {
      await expectProblem(await open(caller, { service_id }), 404, 'not_found');
    }
    // An error of PostgreSQL's would be a line in its log each time.
    expect(received.mock.calls.filter(([event]) => event === 'errorMessage')).toEqual([]);
    received.mockRestore();
    const { rows } = await api.superuser.query('select 1 from support_ticket where customer_id = $1', [
      caller.customer.id,
    ]);
    expect(rows).toEqual([]);
  });
});

describe('GET /support/tickets', () => {
  describeAuthentication(() => api, { method: 'GET', path: '/support/tickets' }, 'support:read');

  it('shows the thread, oldest first, without the internal notes', async () => {
    const caller = await createCaller(api);
    const { id } = (await (await open(caller)).json()) as TicketDto;
    await addReply(id, caller.customer.id, { author: 'operator', body: 'second' }, '2026-02-01T00:00:00Z');
    await addReply(
      id,
      caller.customer.id,
      { author: 'operator', internal: true, body: 'note' },
      '2026-02-02T00:00:00Z',
    );
    await addReply(id, caller.customer.id, { author: 'customer', body: 'first' }, '2026-01-01T00:00:00Z');
    const [ticket] = (await list(caller)).data;
    expect(ticket?.replies).toEqual([
      { id: expect.any(String), author: 'customer', body: 'first', created_at: '2026-01-01T00:00:00.000000Z' },
      { id: expect.any(String), author: 'operator', body: 'second', created_at: '2026-02-01T00:00:00.000000Z' },
    ]);
  });

  describePaging(
    () => api,
    '/support/tickets',
    'support_ticket',
    async (client, customerId, createdAt) => {
      const id = randomUUID();
      await client.query(
        `insert into support_ticket (customer_id, id, title, body, created_at) values ($1, $2, 'a', 'b', $3)`,
        [customerId, id, createdAt],
      );
      return { id };
    },
    (item) => item.id,
  );

  it("never shows another customer's tickets", async () => {
    const [mine, other] = [await createCaller(api), await createCaller(api)];
    await open(other);
    expect(await list(mine)).toEqual({ data: [], has_more: false, next_cursor: null });
  });

  it('goes page by page, newest first', async () => {
    const caller = await createCaller(api);
    for (const title of ['1', '2', '3', '4', '5']) await open(caller, { title });
    const first = await list(caller, '?limit=2');
    const second = await list(caller, `?limit=2&cursor=${first.next_cursor}`);
    const third = await list(caller, `?limit=2&cursor=${second.next_cursor}`);
    expect([first, second, third].map(({ data }) => data.map(({ title }) => title))).toEqual([
      ['5', '4'],
      ['3', '2'],
      ['1'],
    ]);
    expect(third).toMatchObject({ has_more: false, next_cursor: null });
  });

  it.each(['limit=0', 'limit=201', 'limit=x', 'cursor=x', 'cursor='])('refuses ?%s', async (query) => {
    const { call } = await createCaller(api);
    await expectProblem(await call(`/support/tickets?${query}`), 400, 'invalid_request');
  });
});
