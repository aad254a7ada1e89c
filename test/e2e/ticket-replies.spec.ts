import { randomUUID } from 'node:crypto';
import { caller as callerWith, createCaller, startApi, type TestApi } from '@test/api';
import { setDatabaseClock } from '@test/database-clock';
import { expectProblem } from '@test/expect-problem';
import { saveFakeToken } from '@test/factories/service-token.factory';
import { operatorCommand } from '@test/operator-command';
import { describeAuthentication } from '@test/suites/authentication.suite';
import type { TicketDto, TicketReplyDto } from '@records/ticket.dto';
import type { TicketPageDto } from '../../apps/customer-api/src/support/ticket.dto';

type Caller = Awaited<ReturnType<typeof createCaller>>;

const UNKNOWN = randomUUID();
const REPLY = { body: 'It works again.' };
const NOT_FOUND = [404, 'not_found'] as const;

let api: TestApi;
beforeAll(async () => (api = await startApi()));
afterAll(() => api.stop());

const post = ({ call }: Pick<Caller, 'call'>, path: string, body?: object) =>
  call(`/support/tickets${path}`, {
    method: 'POST',
    ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
const open = async (caller: Caller) =>
  (await (await post(caller, '', { title: 'Cannot log in', body: 'An error.' })).json()) as TicketDto;
const read = async ({ call }: Caller, id: string) => (await (await call(`/support/tickets/${id}`)).json()) as TicketDto;
const setStatus = (id: string, status: string) =>
  api.superuser.query('update support_ticket set status = $2 where id = $1', [id, status]);
const operator = async (...words: string[]) => {
  const { code, stdout, stderr } = await operatorCommand(api.database, ['ticket', ...words, '--json']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout) as unknown;
};
const unanswered = async ({ customer }: Caller, ...words: string[]) =>
  ((await operator('list', '--customer', customer.id, ...words)) as { id: string; unanswered: boolean }[]).map(
    (ticket) => [ticket.id, ticket.unanswered],
  );
/** The audit log's entries of the customer's own changes. */
const audited = async ({ customer, token }: Caller) => {
  const { rows } = await api.superuser.query<{ action: string; metadata: object }>(
    `select action, metadata from audit_log where customer_id = $1 and actor = $2 and action <> 'ticket.open'
     order by created_at`,
    [customer.id, `token:${token.id}`],
  );
  return rows.map(({ action, metadata }) => [action, metadata]);
};

describe('GET /support/tickets/{id}', () => {
  describeAuthentication(
    () => api,
    { method: 'GET', path: `/support/tickets/${UNKNOWN}`, otherwise: [...NOT_FOUND] },
    'support:read',
  );

  it.each(['1', UNKNOWN, 'x', `${UNKNOWN}'`, '%00'])('gives 404 for %s', async (id) => {
    const { call } = await createCaller(api);
    await expectProblem(await call(`/support/tickets/${id}`), ...NOT_FOUND);
  });

  it('has the whole thread without notes, of which the list has the last ten', async () => {
    const caller = await createCaller(api);
    const { id } = await open(caller);
    await api.superuser.query(
      `insert into support_ticket_reply (customer_id, id, ticket_id, author, internal, body, created_at)
       select $1, gen_random_uuid(), $2, 'operator', n = 13, n::text, '2026-01-01'::timestamptz + n * interval '1 second'
       from generate_series(1, 13) n`,
      [caller.customer.id, id],
    );
    // The order is asked for: it is not that of an index that happens to be read.
    await api.superuser.query('drop index support_ticket_reply_thread_idx');
    const numbers = ({ replies }: TicketDto) => replies.map(({ body }) => Number(body));
    const one = await read(caller, id);
    expect([numbers(one), one.reply_count]).toEqual([[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], 12]);
    const { data } = (await (await caller.call('/support/tickets')).json()) as TicketPageDto;
    expect(data.map((ticket) => [numbers(ticket), ticket.reply_count])).toEqual([
      [[3, 4, 5, 6, 7, 8, 9, 10, 11, 12], 12],
    ]);
    expect(one.replies.slice(2)).toEqual(data[0]?.replies);
  });
});

describe('POST /support/tickets/{id}/replies', () => {
  describeAuthentication(
    () => api,
    { method: 'POST', path: `/support/tickets/${UNKNOWN}/replies`, body: REPLY, otherwise: [...NOT_FOUND] },
    'support:write',
  );

  it.each([
    ['no body', {}, 'body is required'],
    ['a blank one', { body: ' \n' }, 'body must not be blank'],
    ['an empty one', { body: '' }, 'body must have 1 to 5000 characters, not 0'],
    ['5001 characters', { body: 'a'.repeat(5001) }, 'body must have 1 to 5000 characters, not 5001'],
    ['a number', { body: 5 }, 'body must be a string, not a number'],
    ['a null character', { body: 'a\0' }, 'body must not contain the null character or half a surrogate pair'],
  ])('refuses %s, and changes nothing', async (_, body, detail) => {
    const caller = await createCaller(api);
    const ticket = await open(caller);
    const problem = await expectProblem(await post(caller, `/${ticket.id}/replies`, body), 400, 'invalid_request');
    expect(problem.errors).toEqual([{ pointer: '/body', detail }]);
    expect(await read(caller, ticket.id)).toEqual(ticket);
  });

  it('adds the reply, which the operator and the audit log have', async () => {
    const caller = await createCaller(api);
    const ticket = await open(caller);
    const body = '😀'.repeat(5000);
    const forged = { body, author: 'operator', internal: true, customer_id: UNKNOWN, id: UNKNOWN };
    const reply = await post(caller, `/${ticket.id}/replies`, forged);
    expect(reply.status).toBe(201);
    const added = (await reply.json()) as TicketReplyDto;
    expect(added).toEqual({ id: expect.any(String), author: 'customer', body, created_at: expect.any(String) });
    expect(added.id).not.toBe(UNKNOWN);
    expect(await read(caller, ticket.id)).toEqual({
      ...ticket,
      updated_at: added.created_at,
      replies: [added],
      reply_count: 1,
    });
    expect(await audited(caller)).toEqual([['ticket.reply', { ticket_id: ticket.id, reply_id: added.id }]]);
    const shown = await operator('show', '--ticket', ticket.id);
    expect(shown).toMatchObject({ status: 'open', replies: [{ author: 'customer', internal: false, body }] });
  });

  it.each(['open', 'pending', 'resolved'])('makes a ticket that is %s open', async (status) => {
    const caller = await createCaller(api);
    const { id } = await open(caller);
    await setStatus(id, status);
    expect((await post(caller, `/${id}/replies`, REPLY)).status).toBe(201);
    expect((await read(caller, id)).status).toBe('open');
  });

  it('is refused with 409 once the ticket is closed, and changes nothing', async () => {
    const caller = await createCaller(api);
    const { id } = await open(caller);
    await setStatus(id, 'closed');
    const before = await read(caller, id);
    await expectProblem(await post(caller, `/${id}/replies`, REPLY), 409, 'ticket_closed');
    expect([await read(caller, id), await audited(caller)]).toEqual([before, []]);
  });

  it('takes 200 replies of both sides together, also when they come at the same time', async () => {
    const caller = await createCaller(api);
    const { id } = await open(caller);
    await api.superuser.query(
      `insert into support_ticket_reply (customer_id, id, ticket_id, author, internal, body)
       select $1, gen_random_uuid(), $2, 'operator', n > 197, 'x' from generate_series(1, 220) n`,
      [caller.customer.id, id],
    );
    const replies = await Promise.all(Array.from({ length: 10 }, () => post(caller, `/${id}/replies`, REPLY)));
    const refused = replies.filter(({ status }) => status !== 201);
    expect(refused).toHaveLength(7);
    for (const reply of refused) await expectProblem(reply, 409, 'ticket_full');
    expect((await read(caller, id)).reply_count).toBe(200);
    // The operator can still answer.
    await operator('reply', '--ticket', id, '--body', 'Please open a new ticket');
    expect((await read(caller, id)).reply_count).toBe(201);
    expect((await post(caller, `/${(await open(caller)).id}/replies`, REPLY)).status).toBe(201);
  });

  it('is unanswered until the operator has replied, notes aside, or has set another status', async () => {
    const caller = await createCaller(api);
    const { id } = await open(caller);
    expect(await unanswered(caller)).toEqual([[id, true]]);
    await operator('note', '--ticket', id, '--body', 'The disk is full');
    expect(await unanswered(caller, '--unanswered')).toEqual([[id, true]]);
    await operator('reply', '--ticket', id, '--body', 'We are looking into it');
    expect([await unanswered(caller), await unanswered(caller, '--unanswered')]).toEqual([[[id, false]], []]);
    await post(caller, `/${id}/replies`, REPLY);
    expect(await unanswered(caller, '--unanswered')).toEqual([[id, true]]);
    await operator('set-status', '--ticket', id, '--status', 'resolved');
    expect([await unanswered(caller), await unanswered(caller, '--unanswered')]).toEqual([[[id, false]], []]);
  });
});

describe('a ticket, when the clock of the database was ahead and is right again', () => {
  it('has each reply and change behind those before it, and waits for the operator if its customer wrote last', async () => {
    const caller = await createCaller(api);
    const { id } = await open(caller);
    const times: string[] = [];
    const note = async () => times.push((await read(caller, id)).updated_at);
    await setDatabaseClock(api.superuser, { aheadBy: '1 hour' });
    await operator('reply', '--ticket', id, '--body', 'Try again');
    await note();
    await setDatabaseClock(api.superuser, 'right');
    await post(caller, `/${id}/replies`, REPLY);
    expect(await unanswered(caller, '--unanswered')).toEqual([[id, true]]);
    expect((await read(caller, id)).replies.map(({ author }) => author)).toEqual(['operator', 'customer']);
    await note();
    await operator('reply', '--ticket', id, '--body', 'Good');
    expect(await unanswered(caller, '--unanswered')).toEqual([]);
    await note();
    await operator('set-status', '--ticket', id, '--status', 'resolved');
    await note();
    await post(caller, `/${id}/close`);
    await note();
    expect(times).toEqual([...times].sort());
    expect(Date.parse(times[0] ?? '')).toBeGreaterThan(Date.now() + 3_000_000);
  });
});

describe('POST /support/tickets/{id}/close', () => {
  describeAuthentication(
    () => api,
    { method: 'POST', path: `/support/tickets/${UNKNOWN}/close`, otherwise: [...NOT_FOUND] },
    'support:write',
  );

  it('closes the ticket once, with its thread in the reply', async () => {
    const caller = await createCaller(api);
    const { id } = await open(caller);
    await post(caller, `/${id}/replies`, REPLY);
    await operator('note', '--ticket', id, '--body', 'The disk is full');
    await operator('reply', '--ticket', id, '--body', 'Good');
    const before = await read(caller, id);
    const reply = await post(caller, `/${id}/close`);
    expect(reply.status).toBe(200);
    const closed = (await reply.json()) as TicketDto;
    expect(closed).toEqual({ ...before, status: 'closed', updated_at: closed.updated_at });
    expect(closed.updated_at > before.updated_at).toBe(true);
    expect(closed.replies).toHaveLength(2);
    for (const again of [await post(caller, `/${id}/close`), await caller.call(`/support/tickets/${id}`)]) {
      expect([again.status, await again.json()]).toEqual([200, closed]);
    }
    expect((await audited(caller)).slice(1)).toEqual([['ticket.close', { ticket_id: id, from: 'open' }]]);
  });

  it('gives no thread to a token that may not read tickets, of a closed one neither', async () => {
    const caller = await createCaller(api);
    const { id } = await open(caller);
    await operator('reply', '--ticket', id, '--body', 'The code is 4711');
    const { token } = await saveFakeToken(api.superuser, caller.customer.id, { scopes: ['support:write'] });
    const writer = { call: callerWith(api.baseUrl, token) };
    await expectProblem(await writer.call(`/support/tickets/${id}`), 403, 'insufficient_scope');
    for (const reply of [await post(writer, `/${id}/close`), await post(writer, `/${id}/close`)]) {
      expect([reply.status, await reply.json()]).toEqual([200, { ...(await read(caller, id)), replies: [] }]);
    }
    expect(await read(caller, id)).toMatchObject({ status: 'closed', reply_count: 1, replies: [{}] });
    // Nor does the reply that is kept for another token of the customer, whose key may be guessed.
    const keyed = { method: 'POST', headers: { 'idempotency-key': '17' } };
    expect((await caller.call(`/support/tickets/${id}/close`, keyed)).status).toBe(200);
    const other = await writer.call(`/support/tickets/${id}/close`, keyed);
    await expectProblem(other, 422, 'idempotency_key_reused');
  });

  it('needs no body and reads none', async () => {
    const caller = await createCaller(api);
    for (const init of [{}, { body: '{' }, { body: 'a=b', headers: { 'content-type': 'text/plain' } }]) {
      const { id } = await open(caller);
      expect((await caller.call(`/support/tickets/${id}/close`, { method: 'POST', ...init })).status).toBe(200);
    }
  });

  it('gives 404 for an id of no ticket', async () => {
    const caller = await createCaller(api);
    for (const id of ['1', UNKNOWN]) await expectProblem(await post(caller, `/${id}/close`), ...NOT_FOUND);
  });
});

describe('an Idempotency-Key', () => {
  it.each([
    ['replies', { body: 'Once' }],
    ['close', undefined],
  ])('makes a retry of POST /support/tickets/{id}/%s a replay', async (verb, body) => {
    const caller = await createCaller(api);
    const { id } = await open(caller);
    const send = async () => {
      const reply = await caller.call(`/support/tickets/${id}/${verb}`, {
        method: 'POST',
        headers: { 'idempotency-key': `${id}-${verb}`, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
      });
      return { status: reply.status, replayed: reply.headers.get('idempotency-replayed'), text: await reply.text() };
    };
    const first = await send();
    expect(first).toMatchObject({ status: body ? 201 : 200, replayed: null });
    // Whether it is a replay shows in a reply that would differ now.
    await setStatus(id, 'pending');
    expect(await send()).toEqual({ ...first, replayed: 'true' });
    expect(await audited(caller)).toHaveLength(1);
  });
});
