import { randomUUID } from 'node:crypto';
import { expectProblem } from '@test/expect-problem';
import { saveFakeCustomer } from '@test/factories/customer.factory';
import { waitForLocks } from '@test/locks';
import { logIn, startOperatorApi, type TestOperator, type TestOperatorApi } from '@test/operator-api';
import { operatorCommand } from '@test/operator-command';
import { connectAsSuperuser } from '@test/test-database';

interface Thread {
  assignee: string | null;
  replies: { body: string; author: string; internal: boolean; written_by: string | null }[];
}

interface Ticket {
  status: string;
  updated_at: string;
}

describe('tickets in the operator API', () => {
  let api: TestOperatorApi;
  let customerId: string;
  beforeAll(async () => {
    api = await startOperatorApi();
    customerId = (await saveFakeCustomer(api.superuser)).id;
  });
  afterAll(() => api.stop());

  async function openTicket(): Promise<string> {
    const id = randomUUID();
    await api.superuser.query(
      `select app.open_support_ticket($1, $2, 'No SMS', 'None came', 'normal', null, null, null, 'token:x')`,
      [customerId, id],
    );
    return id;
  }
  const command = async (line: string) => operatorCommand(api.database, [...line.split(' '), '--json']);
  const detail = async (reply: Response) => [reply.status, ((await reply.json()) as { detail: string }).detail];

  describe('are assigned', () => {
    let kari: TestOperator;
    let ola: TestOperator;
    let gone: TestOperator;

    it('to anybody while there are no accounts', async () => {
      const assigned = await command(`ticket assign --ticket ${await openTicket()} --to Somebody`);
      expect(JSON.parse(assigned.stdout)).toMatchObject({ assignee: 'Somebody' });
    });

    it('to one of those who may answer them', async () => {
      [kari, ola, gone] = [await logIn(api, 'admin'), await logIn(api, 'support'), await logIn(api, 'support')];
      await api.superuser.query('update operator_account set active = false where id = $1', [gone.id]);
      const id = await openTicket();
      // As the account has the name.
      const shouted = await kari.post(`/tickets/${id}/assign`, { to: ola.name.toUpperCase() });
      expect(await shouted.json()).toMatchObject({ assignee: ola.name });
      const own = await command(`ticket assign --ticket ${id} --as ${kari.name} --yes`);
      expect(JSON.parse(own.stdout)).toMatchObject({ assignee: kari.name });
    });

    it('to nobody else: not to a name without an account, to a viewer, or to one who is gone', async () => {
      const viewer = await logIn(api, 'viewer');
      const id = await openTicket();
      const may = [kari.name, ola.name].sort().join(', ');
      for (const { name } of [{ name: 'Somebody' }, viewer, gone]) {
        const text = `Nobody called ${name} may answer tickets; those who may: ${may}`;
        expect(await detail(await kari.post(`/tickets/${id}/assign`, { to: name }))).toEqual([400, text]);
        const refused = await command(`ticket assign --ticket ${id} --to ${name}`);
        expect([refused.code, refused.stdout]).toEqual([expect.any(Number), '']);
        expect(refused.code).not.toBe(0);
        expect(refused.stderr).toContain(text);
      }
      expect(await (await kari.call(`/tickets/${id}`)).json()).toMatchObject({ assignee: null });
    });

    it('until the one who has one is gone: it can be given to another', async () => {
      const id = await openTicket();
      await kari.post(`/tickets/${id}/assign`, { to: ola.name });
      await api.superuser.query(`update operator_account set role = 'viewer' where id = $1`, [ola.id]);
      const taken = await kari.post(`/tickets/${id}/assign`, { replaces: ola.name });
      expect(await taken.json()).toMatchObject({ assignee: kari.name });
      await api.superuser.query(`update operator_account set role = 'support' where id = $1`, [ola.id]);
    });
  });

  it('say who of the operator wrote each reply and note, also of those from the command line', async () => {
    const [kari, ola] = [await logIn(api, 'support'), await logIn(api, 'admin')];
    const [id, other] = [await openTicket(), await openTicket()];
    const first = await kari.post(`/tickets/${id}/reply`, { body: 'We look' });
    expect(await first.json()).toMatchObject({ body: 'We look', written_by: kari.name });
    await ola.post(`/tickets/${id}/note`, { body: 'The gateway is away' });
    await ola.post(`/tickets/${other}/reply`, { body: 'In another ticket' });
    await api.superuser.query(`select app.reply_to_support_ticket($1, $2, 'Thanks', 200, 'token:x')`, [customerId, id]);
    await ola.post(`/tickets/${id}/reply`, { body: 'By telephone', author: 'customer' });
    await command(`ticket reply --ticket ${id} --body Again --as per`);
    // A row that was written anew is the last one that is found, where not by the index that has the order.
    await api.superuser.query(`update support_ticket_reply set body = body where ticket_id = $1 and body = 'We look'`, [
      id,
    ]);
    await api.superuser.query('analyze support_ticket_reply');
    const { replies } = (await (await kari.call(`/tickets/${id}`)).json()) as Thread;
    expect(replies.map(({ body, author, internal, written_by: by }) => [body, author, internal, by])).toEqual([
      ['We look', 'operator', false, kari.name],
      ['The gateway is away', 'operator', true, ola.name],
      ['Thanks', 'customer', false, null],
      ['By telephone', 'customer', false, ola.name],
      ['Again', 'operator', false, 'per'],
    ]);
    const shown = JSON.parse((await command(`ticket show --ticket ${id}`)).stdout) as Thread;
    expect(shown.replies.map(({ written_by: by }) => by)).toEqual(replies.map(({ written_by: by }) => by));
  });

  it('are open again by a reply that the customer gave elsewhere, and told as such, unless they are closed', async () => {
    const kari = await logIn(api, 'support');
    for (const [status, then, told] of [
      ['pending', 'open', 1],
      ['resolved', 'open', 1],
      ['open', 'open', 0],
      ['closed', 'closed', 0],
    ] as const) {
      const id = await openTicket();
      await api.superuser.query('update support_ticket set status = $2 where id = $1', [id, status]);
      await kari.post(`/tickets/${id}/reply`, { body: 'Which one?' });
      await kari.post(`/tickets/${id}/reply`, { body: 'By telephone', author: 'customer' });
      expect(await (await kari.call(`/tickets/${id}`)).json()).toMatchObject({ status: then });
      const { rows } = await api.superuser.query<{ status: string }>(
        `select record ->> 'status' as status from event where type = 'ticket.status_changed' and reference ->> 'id' = $1`,
        [id],
      );
      expect(rows).toEqual(Array(told).fill({ status: 'open' }));
    }
  });

  it('are neither answered nor closed over a reply that was not seen, if the person says what was', async () => {
    const kari = await logIn(api, 'support');
    const id = await openTicket();
    const read = async () => (await (await kari.call(`/tickets/${id}`)).json()) as Thread & Ticket;
    const { updated_at: seen } = await read();
    await api.superuser.query(`select app.reply_to_support_ticket($1, $2, 'Still', 200, 'token:x')`, [customerId, id]);
    const text = 'Meanwhile the ticket was changed, or has a new reply: read it again';
    expect(await detail(await kari.post(`/tickets/${id}/reply`, { body: 'Solved?', seen }))).toEqual([400, text]);
    expect(await detail(await kari.post(`/tickets/${id}/set-status`, { status: 'closed', seen }))).toEqual([400, text]);
    for (const line of [`reply --ticket ${id} --body Solved`, `set-status --ticket ${id} --status closed`]) {
      const refused = await command(`ticket ${line} --seen ${seen}`);
      expect({ ...refused, code: refused.code === 0 }).toMatchObject({ code: false, stdout: '' });
      expect(refused.stderr).toContain(text);
    }
    const now = await read();
    expect(now).toMatchObject({ status: 'open', replies: [{ body: 'Still' }] });
    // Notes, which the customer does not see, change nothing of it.
    await kari.post(`/tickets/${id}/note`, { body: 'Looks bad' });
    const answered = await kari.post(`/tickets/${id}/reply`, { body: 'We look', seen: now.updated_at });
    expect(answered.status).toBe(201);
    const closed = await command(
      `ticket set-status --ticket ${id} --status closed --seen ${(await read()).updated_at}`,
    );
    expect(JSON.parse(closed.stdout)).toMatchObject({ status: 'closed' });
    // Without it, as before.
    expect((await kari.post(`/tickets/${id}/set-status`, { status: 'open' })).status).toBe(200);
  });

  it('are not closed over a reply that was not seen after the clock was set back either, and say who wrote what', async () => {
    const kari = await logIn(api, 'support');
    const id = await openTicket();
    const read = async () => (await (await kari.call(`/tickets/${id}`)).json()) as Thread & Ticket;
    const ahead = new Date(Date.now() + 3_600_000);
    await api.superuser.query('update support_ticket set updated_at = $2 where id = $1', [id, ahead]);
    const text = 'Meanwhile the ticket was changed, or has a new reply: read it again';
    const close = async (seen: string) =>
      detail(await kari.post(`/tickets/${id}/set-status`, { status: 'closed', seen }));
    const { updated_at: unanswered } = await read();
    await kari.post(`/tickets/${id}/reply`, { body: 'We look' });
    expect(await close(unanswered)).toEqual([400, text]);
    const { updated_at: answered, replies } = await read();
    expect(replies).toMatchObject([{ body: 'We look', written_by: kari.name }]);
    await api.superuser.query(`select app.reply_to_support_ticket($1, $2, 'Still', 200, 'token:x')`, [customerId, id]);
    expect(await close(answered)).toEqual([400, text]);
    const { updated_at: replied } = await read();
    await api.superuser.query(`select app.close_support_ticket($1, $2, 'token:x')`, [customerId, id]);
    const again = await kari.post(`/tickets/${id}/set-status`, { status: 'open', seen: replied });
    expect(await detail(again)).toEqual([400, text]);
  });

  it('are 404 to whoever answers one that is deleted meanwhile, as it is old', async () => {
    const kari = await logIn(api, 'support');
    const id = await openTicket();
    const retention = await connectAsSuperuser(api.database);
    await retention.query('begin');
    await retention.query('delete from support_ticket where customer_id = $1 and id = $2', [customerId, id]);
    const reply = kari.post(`/tickets/${id}/reply`, { body: 'We look' });
    await waitForLocks(api.superuser, 1);
    await retention.query('commit');
    await retention.end();
    await expectProblem(await reply, 404, 'not_found');
  });

  it('have no name for a reply that the audit log does not have', async () => {
    const kari = await logIn(api, 'support');
    const id = await openTicket();
    await api.superuser.query(
      `insert into support_ticket_reply (customer_id, id, ticket_id, author, body) values ($1, gen_random_uuid(), $2, 'operator', 'Old')`,
      [customerId, id],
    );
    const { replies } = (await (await kari.call(`/tickets/${id}`)).json()) as Thread;
    expect(replies).toMatchObject([{ body: 'Old', written_by: null }]);
  });
});
