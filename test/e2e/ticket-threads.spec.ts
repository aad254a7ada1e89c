import { createCaller, startApi, type TestApi } from '@test/api';
import { operatorCommand } from '@test/operator-command';
import type { TicketDto } from '@records/ticket.dto';
import type { TicketPageDto } from '../../apps/customer-api/src/support/ticket.dto';

/** Of the operator's people. */
const PERSON = 'kari-of-support';
const TICKET = { title: 'Cannot log in', body: 'The portal answers with an error.' };

/** A ticket as the customer sees it while the operator works on it. */
describe('a ticket', () => {
  let api: TestApi;
  beforeAll(async () => (api = await startApi()));
  afterAll(() => api.stop());

  async function openTicket(more: object = {}) {
    const { customer, call } = await createCaller(api);
    const reply = await call('/support/tickets', {
      method: 'POST',
      body: JSON.stringify({ ...TICKET, ...more }),
      headers: { 'content-type': 'application/json' },
    });
    expect(reply.status).toBe(201);
    const ticket = (await reply.json()) as TicketDto;
    const seen = async () => {
      const { data } = (await (await call('/support/tickets')).json()) as TicketPageDto;
      expect(data).toHaveLength(1);
      return data[0] as TicketDto;
    };
    return { customer, call, ticket, seen };
  }
  const operator = async (...words: string[]) => {
    const { code, stderr } = await operatorCommand(api.database, ['ticket', ...words, '--json', '--as', PERSON]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  };

  it('that names no priority is normal, in the reply, the list and the database', async () => {
    const { ticket, seen } = await openTicket();
    expect([ticket.priority, (await seen()).priority]).toEqual(['normal', 'normal']);
    const { rows } = await api.superuser.query('select priority from support_ticket where id = $1', [ticket.id]);
    expect(rows).toEqual([{ priority: 'normal' }]);
  });

  it('keeps the priority that it names', async () => {
    const { ticket, seen } = await openTicket({ priority: 'urgent' });
    expect([ticket.priority, (await seen()).priority]).toEqual(['urgent', 'urgent']);
  });

  it('has its replies with all their characters, in lists and by itself', async () => {
    const { call, ticket, seen } = await openTicket();
    const bodies = [
      'a|3|b c',
      '😀|😀',
      '\u0001\ufeff"\\',
      'plain',
      '[{"x": 1}]\n2|',
      'e\u0301 æ',
      '😀'.repeat(3),
      'last',
    ];
    for (const body of bodies) {
      const headers = { 'content-type': 'application/json' };
      const sent = { method: 'POST', body: JSON.stringify({ body }), headers };
      expect((await call(`/support/tickets/${ticket.id}/replies`, sent)).status).toBe(201);
    }
    const { replies } = await seen();
    expect(replies.map(({ author, body }) => [author, body])).toEqual(bodies.map((body) => ['customer', body]));
    const whole = (await (await call(`/support/tickets/${ticket.id}`)).json()) as TicketDto;
    expect(whole.replies).toEqual(replies);
  });

  it("shows an answer and when it came, in the order of the answers, nothing of the operator's notes, and no name", async () => {
    const { call, ticket, seen } = await openTicket();
    await operator('note', '--ticket', ticket.id, '--body', 'The disk is full');
    // Not even the time of the last change.
    expect(await seen()).toEqual(ticket);
    await operator('reply', '--ticket', ticket.id, '--body', 'We are looking into it');
    await operator('note', '--ticket', ticket.id, '--body', 'Ordered a disk');
    await operator('reply', '--ticket', ticket.id, '--body', 'It works again');
    const { replies, updated_at } = await seen();
    expect(replies.map(({ author, body }) => [author, body])).toEqual([
      ['operator', 'We are looking into it'],
      ['operator', 'It works again'],
    ]);
    // Not who of the operator wrote it.
    const thread = await (await call(`/support/tickets/${ticket.id}`)).text();
    const { rows } = await api.superuser.query<{ data: string }>('select e::text as data from event e');
    expect(JSON.stringify([thread, replies, rows])).not.toContain(PERSON);
    expect(rows.length).toBeGreaterThan(0);
    expect(updated_at > ticket.updated_at).toBe(true);
    expect(updated_at.slice(0, 19)).toBe(replies[1]?.created_at.slice(0, 19));
  });

  it('is told with its thread as it is shown by itself', async () => {
    const { customer, call, ticket } = await openTicket();
    // The older reply is written last.
    await api.superuser.query(
      `insert into support_ticket_reply (customer_id, id, ticket_id, author, internal, body, created_at)
       select $1, gen_random_uuid(), $2, 'operator', n = 2, 'Answer ' || n, now() - make_interval(mins => n) from generate_series(1, 3) n`,
      [customer.id, ticket.id],
    );
    await api.superuser.query(`select app.record_ticket_event($1, 'ticket.replied', $2)`, [customer.id, ticket.id]);
    const read = async (path: string) => (await (await call(path)).json()) as object;
    const shown = await read(`/support/tickets/${ticket.id}`);
    expect(shown).toMatchObject({ reply_count: 2, replies: [{ body: 'Answer 3' }, { body: 'Answer 1' }] });
    expect(await read('/events')).toMatchObject({ data: [{ data: shown }] });
  });

  it('shows the status that the operator sets, which is audited with the one before', async () => {
    const { customer, ticket, seen } = await openTicket();
    await operator('set-status', '--ticket', ticket.id, '--status', 'pending');
    const after = await seen();
    expect(after.status).toBe('pending');
    expect(after.updated_at > ticket.updated_at).toBe(true);
    const { rows } = await api.superuser.query(
      `select metadata from audit_log where customer_id = $1 and action = 'ticket.set-status'`,
      [customer.id],
    );
    expect(rows).toEqual([{ metadata: { ticket_id: ticket.id, from: 'open', to: 'pending' } }]);
    await operator('set-status', '--ticket', ticket.id, '--status', 'pending');
    expect(await seen()).toEqual(after);
  });
});
