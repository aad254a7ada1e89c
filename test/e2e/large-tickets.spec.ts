import { EntityReadsService } from '@platform/database';
import { createCaller, startApi, type TestApi } from '@test/api';
import { saveLargeTickets } from '@test/factories/ticket.factory';
import type { TicketDto } from '@records/ticket.dto';
import type { TicketPageDto } from '../../apps/customer-api/src/support/ticket.dto';

/** Tickets of 300 kB that a page has room for. */
const IN_A_PAGE = 5;

describe('tickets whose threads are large', () => {
  let api: TestApi;
  beforeAll(async () => (api = await startApi()));
  afterAll(() => api.stop());

  const arrange = async (tickets: number, replies: number) => {
    const caller = await createCaller(api);
    await saveLargeTickets(api.superuser, caller.customer.id, tickets, replies);
    return caller;
  };
  const ids = async (table: string, order: string, customerId: string) => {
    const { rows } = await api.superuser.query<{ id: string }>(
      `select id from ${table} where customer_id = $1 order by created_at ${order}, id ${order}`,
      [customerId],
    );
    return rows.map(({ id }) => id);
  };

  it.each([200, IN_A_PAGE, IN_A_PAGE - 1])('make pages of %d shorter; none is left out or doubled', async (limit) => {
    const { call, customer } = await arrange(25, 10);
    const pages: TicketPageDto[] = [];
    let cursor = '';
    do {
      const page = (await (await call(`/support/tickets?limit=${limit}${cursor}`)).json()) as TicketPageDto;
      pages.push(page);
      cursor = `&cursor=${page.next_cursor}`;
    } while (pages.at(-1)?.has_more);
    const most = Math.min(limit, IN_A_PAGE);
    expect(pages.map(({ data }) => data.length)).toEqual(
      Array.from({ length: Math.ceil(25 / most) }, (_, page) => Math.min(most, 25 - page * most)),
    );
    expect(pages.flatMap(({ data }) => data.map(({ id }) => id))).toEqual(
      await ids('support_ticket', 'desc', customer.id),
    );
    expect(pages.at(-1)?.next_cursor).toBeNull();
  });

  it('are not even read by PostgreSQL beyond the page', async () => {
    const { customer } = await arrange(100, 10);
    const read = api.app.get(EntityReadsService).defined.find(({ name }) => name === 'support.tickets');
    const { rows } = await api.superuser.query(read?.text ?? '', [customer.id, 201]);
    expect(rows).toHaveLength(IN_A_PAGE + 1);
  });

  it('are one per page even if one alone is larger than a page', async () => {
    const { call, customer } = await arrange(2, 1);
    // Larger than any that the API takes.
    await api.superuser.query(`update support_ticket_reply set body = repeat('x', 600000) where customer_id = $1`, [
      customer.id,
    ]);
    const page = (await (await call('/support/tickets')).json()) as TicketPageDto;
    expect([page.data.length, page.has_more]).toEqual([1, true]);
    const rest = (await (await call(`/support/tickets?cursor=${page.next_cursor}`)).json()) as TicketPageDto;
    expect([rest.data.length, rest.has_more]).toEqual([1, false]);
  });

  it('are sent piece by piece, whole and in order', async () => {
    const { call, customer } = await arrange(1, 200);
    const [id] = await ids('support_ticket', 'desc', customer.id);
    const reply = await call(`/support/tickets/${id}`);
    expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(reply.headers.get('transfer-encoding')).toBe('chunked');
    const ticket = (await reply.json()) as TicketDto;
    expect(ticket.replies.map((each) => each.id)).toEqual(await ids('support_ticket_reply', 'asc', customer.id));
    expect(ticket.replies.every(({ body }) => body === '\u0001'.repeat(5000))).toBe(true);
    expect(ticket).toMatchObject({ id, status: 'open', reply_count: 200 });
  });

  it('are kept as a whole when they are closed under an Idempotency-Key', async () => {
    const { call, customer } = await arrange(1, 40);
    const [id] = await ids('support_ticket', 'desc', customer.id);
    const close = () =>
      call(`/support/tickets/${id}/close`, { method: 'POST', headers: { 'idempotency-key': 'close-it' } });
    const first = await close();
    const closed = (await first.json()) as TicketDto;
    expect([closed.status, closed.replies.length, closed.reply_count]).toEqual(['closed', 40, 40]);
    const again = await close();
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(await again.json()).toEqual(closed);
  });
});
