import { caller, createCaller, startApi, type TestApi } from '@test/api';
import { operatorCommand } from '@test/operator-command';

interface Shown {
  id: string;
  assignee: string | null;
}

/** Whom of the operator's people a ticket is assigned to. */
describe('A ticket is assigned', () => {
  let api: TestApi;
  beforeAll(async () => (api = await startApi()));
  afterAll(() => api.stop());

  const operator = (line: string, surroundings = {}) => operatorCommand(api.database, line.split(' '), surroundings);
  const json = async <T = Shown>(line: string) => {
    const { code, stdout, stderr } = await operator(`${line} --json`);
    expect({ line, code, stderr }).toEqual({ line, code: 0, stderr: '' });
    return JSON.parse(stdout) as T;
  };

  async function openTickets(count: number) {
    const { customer, token, call } = await createCaller(api);
    const ids: string[] = [];
    for (let n = 0; n < count; n++) {
      const reply = await call('/support/tickets', {
        method: 'POST',
        body: JSON.stringify({ title: `Ticket ${n}`, body: 'Text' }),
        headers: { 'content-type': 'application/json' },
      });
      ids.push(((await reply.json()) as { id: string }).id);
    }
    return { customer: customer.id, token: token.token, ids };
  }

  it('to a person, or to the one who runs the command, and to nobody again; the audit log has each change', async () => {
    const { customer, ids } = await openTickets(1);
    expect(await json(`ticket show --ticket ${ids[0]}`)).toMatchObject({ assignee: null });
    expect(await json(`ticket assign --ticket ${ids[0]} --to kari`)).toMatchObject({ id: ids[0], assignee: 'kari' });
    expect(await json(`ticket assign --ticket ${ids[0]} --as ola --yes`)).toMatchObject({ assignee: 'ola' });
    expect(await json(`ticket show --ticket ${ids[0]}`)).toMatchObject({ assignee: 'ola' });
    // Not a change.
    await json(`ticket assign --ticket ${ids[0]} --to ola`);
    expect(await json(`ticket unassign --ticket ${ids[0]} --as per`)).toMatchObject({ assignee: null });
    expect(await json(`ticket show --ticket ${ids[0]}`)).toMatchObject({ assignee: null });
    const entries = await json<{ action: string; actor: string; metadata: object }[]>(
      `audit list --customer ${customer}`,
    );
    expect(entries.filter(({ action }) => action.includes('assign'))).toMatchObject([
      { action: 'ticket.unassign', actor: 'operator:per', metadata: { from: 'ola', to: null } },
      { action: 'ticket.assign', actor: 'operator:ola', metadata: { from: 'kari', to: 'ola' } },
      { action: 'ticket.assign', metadata: { ticket_id: ids[0], from: null, to: 'kari' } },
    ]);
  });

  it('and nobody is replaced without a question', async () => {
    const { ids } = await openTickets(1);
    const take = `ticket assign --ticket ${ids[0]} --to ola`;
    await json(`ticket assign --ticket ${ids[0]} --to kari`);
    const refused = await operator(take);
    expect(refused).toMatchObject({ code: 8, stderr: expect.stringMatching(/assigned to kari.*--yes/) });
    const denied = await operator(take, { terminal: true, input: 'n\n' });
    expect(denied).toMatchObject({ code: 8, stderr: expect.stringMatching(/assigned to kari.*Go on\?/) });
    expect(await json(`ticket show --ticket ${ids[0]}`)).toMatchObject({ assignee: 'kari' });
    expect((await operator(take, { terminal: true, input: 'y\n' })).code).toBe(0);
    expect(await json(`ticket show --ticket ${ids[0]}`)).toMatchObject({ assignee: 'ola' });
  });

  it('which lists tell apart', async () => {
    const { customer, ids } = await openTickets(3);
    await json(`ticket assign --ticket ${ids[0]} --to Kari`);
    await json(`ticket assign --ticket ${ids[1]} --to ola`);
    const list = async (filter: string) =>
      (await json<Shown[]>(`ticket list --customer ${customer} ${filter}`)).map(({ id, assignee }) => [id, assignee]);
    expect(await list('--assigned kari')).toEqual([[ids[0], 'Kari']]);
    expect(await list('--unassigned')).toEqual([[ids[2], null]]);
    expect(await list('--status open')).toEqual([
      [ids[2], null],
      [ids[1], 'ola'],
      [ids[0], 'Kari'],
    ]);
    const { stdout } = await operator(`ticket list --customer ${customer} -o wide`);
    expect(stdout).toMatch(/^customer_number .* assignee /);
    expect(await operator(`ticket assign --ticket ${ids[0]} --to <b>`)).toMatchObject({ code: 2 });
  });

  it('which the customer sees nowhere, not even as a later change, and the API may not read', async () => {
    const { customer, token, ids } = await openTickets(1);
    const call = caller(api.baseUrl, token);
    const seen = async () =>
      Promise.all(['/support/tickets', `/support/tickets/${ids[0]}`].map(async (path) => (await call(path)).text()));
    const before = await seen();
    await json(`ticket assign --ticket ${ids[0]} --to kari-of-support`);
    expect(await seen()).toEqual(before);
    const { stdout } = await operator(`customer export --customer ${customer}`);
    expect(stdout).toContain('support_ticket_assignment');
    // The log of the operator's own actions aside.
    const { audit_log: _log, ...handedOver } = JSON.parse(stdout) as Record<string, unknown>;
    expect(JSON.stringify(handedOver)).not.toContain('kari-of-support');
    const { rows } = await api.superuser.query(
      `select column_name from information_schema.column_privileges where grantee = 'customer_api' and table_name = 'support_ticket_assignment'`,
    );
    expect(rows).toEqual([]);
  });

  it('until it is deleted, also by a program that knows of no assignments', async () => {
    const { ids } = await openTickets(1);
    await json(`ticket assign --ticket ${ids[0]} --to kari`);
    await api.superuser.query('delete from support_ticket where id = $1', [ids[0]]);
    const { rowCount } = await api.superuser.query('select 1 from support_ticket_assignment where ticket_id = $1', [
      ids[0],
    ]);
    expect(rowCount).toBe(0);
  });
});
