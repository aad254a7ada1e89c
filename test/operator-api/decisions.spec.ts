import { randomUUID } from 'node:crypto';
import { saveAiCustomer, saveModelPrice } from '@test/ai-factories';
import { logIn, startOperatorApi, type TestOperator, type TestOperatorApi } from '@test/operator-api';
import { operatorCommand } from '@test/operator-command';
import { connectAsSuperuser } from '@test/test-database';

const MOST = 2000;
const ROUNDS = Number(process.env.ACCEPT_DECISIONS ?? 4);

describe('decisions about credit requests, by several people', () => {
  let api: TestOperatorApi;
  let [kari, ola]: TestOperator[] = [];
  let model: string;
  beforeAll(async () => {
    api = await startOperatorApi({ APPROVAL_SECOND_PERSON_NOK: String(MOST) });
    [kari, ola] = [await logIn(api, 'billing'), await logIn(api, 'billing')];
    model = await saveModelPrice(api.superuser);
  });
  afterAll(() => api.stop());

  const request = async (amount: number) => {
    const customerId = await saveAiCustomer(api.superuser, { model });
    const { rows } = await api.superuser.query<{ id: number }>(
      'insert into ai_credit_request (customer_id, amount_nok, created_at) values ($1, $2, now()) returning id',
      [customerId, amount],
    );
    return { customerId, id: rows[0]!.id };
  };
  /** With a key of its own, as the console sends it: key and decision are one transaction. */
  const decide = (person: TestOperator, path: string, body: object) =>
    person.call(`/credit-requests/${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', 'idempotency-key': randomUUID() },
    });
  const approve = (person: TestOperator, id: number) => decide(person, `${id}/approve`, {});
  const reject = (person: TestOperator, id: number) =>
    decide(person, `${id}/reject`, { reason: 'An invoice is overdue' });
  const command = (name: string, ...words: string[]) =>
    operatorCommand(api.database, ['credit-request', ...words, '--as', name, '--yes', '--json'], {
      environment: { APPROVAL_SECOND_PERSON_NOK: String(MOST) },
    });
  const booked = async (customerId: string) => {
    const { rows } = await api.superuser.query<{ topups: number; invoices: number; decided: string[] }>(
      `select (select count(*)::int from ai_ledger_entry where customer_id = $1 and kind = 'invoice_topup') as topups,
         (select count(*)::int from invoice where customer_id = $1) as invoices,
         (select array_agg(action order by id) from audit_log where customer_id = $1 and action ~ '^credit-request') as decided`,
      [customerId],
    );
    return rows[0]!;
  };

  it('are one decision, whoever is first: others are told', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { customerId, id } = await request(500);
      const [approved, rejected, other] = await Promise.all([
        approve(kari!, id),
        reject(ola!, id),
        command('nils', 'approve', '--id', String(id)),
      ]);
      const { status } = (await (await kari!.call(`/credit-requests/${id}`)).json()) as { status: string };
      const isApproved = status === 'approved';
      expect([approved.status, rejected.status, other.code]).toEqual(isApproved ? [200, 400, 0] : [400, 200, 4]);
      expect(await booked(customerId)).toEqual({
        topups: isApproved ? 1 : 0,
        invoices: isApproved ? 1 : 0,
        decided: [isApproved ? 'credit-request.approve' : 'credit-request.reject'],
      });
    }
  });

  it('lead to one invoice: a person who comes second is told its number, and another number is refused', async () => {
    const { customerId, id } = await request(500);
    const [number, another] = [`O-${id}`, `K-${id}`];
    const ofOla = { status: 'approved', decided_by: `operator:${ola!.name}`, invoice_number: number };
    const first = await decide(ola!, `${id}/approve`, { invoice_number: number });
    expect(await first.json()).toMatchObject(ofOla);
    const refused = await decide(kari!, `${id}/approve`, { invoice_number: another });
    expect([refused.status, await refused.json()]).toEqual([
      400,
      expect.objectContaining({
        detail: `operator:${ola!.name} has approved it with the invoice number ${number}, not ${another}: write no second invoice`,
      }),
    ]);
    for (const same of [{}, { invoice_number: number }])
      expect(await (await decide(kari!, `${id}/approve`, same)).json()).toMatchObject(ofOla);
    const listed = await kari!.call(`/credit-requests?customer_id=${customerId}`);
    expect(await listed.json()).toMatchObject({ data: [ofOla] });
    const printed = await command('nils', 'approve', '--id', String(id));
    expect([printed.code, printed.stderr, JSON.parse(printed.stdout)]).toEqual([
      0,
      `operator:${ola!.name} had approved it, with the invoice ${number}: write no second invoice\n`,
      expect.objectContaining({ invoice_number: number }),
    ]);
    expect((await command('nils', 'approve', '--id', String(id), '--invoice-number', another)).code).toBe(4);
    expect(await booked(customerId)).toMatchObject({ topups: 1, invoices: 1 });
  });

  it('have one reason: a person who rejects second is told who was first', async () => {
    const { id } = await request(500);
    await decide(ola!, `${id}/reject`, { reason: 'No contract' });
    const second = await reject(kari!, id);
    const ofOla = { status: 'rejected', decided_by: `operator:${ola!.name}`, reason: 'No contract' };
    expect([second.status, await second.json()]).toEqual([200, expect.objectContaining(ofOla)]);
    const printed = await command('nils', 'reject', '--id', String(id), '--reason', 'Overdue');
    const note = `operator:${ola!.name} had rejected it: your reason is not kept\n`;
    expect([printed.code, printed.stderr]).toEqual([0, note]);
    const opposite = await approve(kari!, id);
    expect([opposite.status, await opposite.json()]).toEqual([
      400,
      expect.objectContaining({ detail: `The credit request ${id} was rejected by operator:${ola!.name}` }),
    ]);
  });

  it('above an amount need a second person, in the browser and on the command line', async () => {
    const { customerId, id } = await request(MOST + 1);
    const first = await approve(kari!, id);
    expect([first.status, await first.json()]).toEqual([
      200,
      expect.objectContaining({ status: 'pending', first_approved_by: `operator:${kari!.name}`, invoice_id: null }),
    ]);
    expect((await approve(kari!, id)).status).toBe(400);
    expect((await command(kari!.name.toUpperCase(), 'approve', '--id', String(id))).code).toBe(4);
    expect(await booked(customerId)).toEqual({ topups: 0, invoices: 0, decided: ['credit-request.approve-first'] });
    const listed = await ola!.call(`/credit-requests?customer_id=${customerId}`);
    expect(await listed.json()).toMatchObject({ data: [{ first_approved_by: `operator:${kari!.name}` }] });
    expect(await (await approve(ola!, id)).json()).toMatchObject({
      status: 'approved',
      decided_by: `operator:${ola!.name}`,
    });
    expect(await booked(customerId)).toMatchObject({ topups: 1, invoices: 1 });
  });

  it('above it give the invoice the number of either person, and not one of two', async () => {
    const approveAs = (person: TestOperator, id: number, number?: string) =>
      decide(person, `${id}/approve`, { invoice_number: number });
    const invoiced = async (customerId: string) => {
      const { rows } = await api.superuser.query('select number from invoice where customer_id = $1', [customerId]);
      return rows;
    };
    const ofFirst = await request(MOST + 1);
    const first = await approveAs(kari!, ofFirst.id, `F-${ofFirst.id}`);
    expect(await first.json()).toMatchObject({ status: 'pending', first_invoice_number: `F-${ofFirst.id}` });
    expect(await (await approve(ola!, ofFirst.id)).json()).toMatchObject({ invoice_number: `F-${ofFirst.id}` });
    expect(await invoiced(ofFirst.customerId)).toEqual([{ number: `F-${ofFirst.id}` }]);

    const ofSecond = await request(MOST + 1);
    await approve(kari!, ofSecond.id);
    expect((await approveAs(ola!, ofSecond.id, `S-${ofSecond.id}`)).status).toBe(200);
    expect(await invoiced(ofSecond.customerId)).toEqual([{ number: `S-${ofSecond.id}` }]);

    const { customerId, id } = await request(MOST + 1);
    expect((await approveAs(kari!, id, 'x'.repeat(300))).status).toBe(400);
    await approveAs(kari!, id, `F-${id}`);
    const refused = await approveAs(ola!, id, `S-${id}`);
    expect([refused.status, await refused.json()]).toEqual([
      400,
      expect.objectContaining({
        detail: expect.stringContaining(`operator:${kari!.name} has approved it with the invoice number F-${id}`),
      }),
    ]);
    expect(await invoiced(customerId)).toEqual([]);
    const changed = await approveAs(kari!, id, `S-${id}`);
    expect(await changed.json()).toMatchObject({ status: 'pending', first_invoice_number: `S-${id}` });
    expect((await approveAs(kari!, id, `S-${id}`)).status).toBe(400);
    expect((await approveAs(ola!, id, `S-${id}`)).status).toBe(200);
    expect(await invoiced(customerId)).toEqual([{ number: `S-${id}` }]);
    expect((await booked(customerId)).decided).toEqual([
      ...['credit-request.approve-first', 'credit-request.approve-first', 'credit-request.approve'],
    ]);
  });

  it('keep the first person’s invoice number when the amount no longer needs a second person', async () => {
    const { customerId, id } = await request(MOST + 1);
    await decide(kari!, `${id}/approve`, { invoice_number: `F-${id}` });
    const environment = { APPROVAL_SECOND_PERSON_NOK: String(MOST + 1) };
    const approveAs = (...words: string[]) =>
      operatorCommand(
        api.database,
        ['credit-request', 'approve', '--id', String(id), ...words, '--as', 'nils', '--yes', '--json'],
        { environment },
      );
    const refused = await approveAs('--invoice-number', `S-${id}`);
    expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining(`F-${id}, not S-${id}`)]);
    expect(await booked(customerId)).toMatchObject({ topups: 0, invoices: 0 });
    // With blanks around it, as it may be pasted, it is the same number.
    expect((await approveAs('--invoice-number', ` F-${id} `)).code).toBe(0);
    expect(await booked(customerId)).toMatchObject({ topups: 1, invoices: 1 });
  });

  it.each([
    ['was deactivated', 'update operator_account set active = false where name = $1'],
    ['may only read by now', `update operator_account set role = 'viewer' where name = $1`],
  ])('above it are not of a first person whose account %s: the next one is the first', async (_name, change) => {
    const [nina, per] = [await logIn(api, 'billing'), await logIn(api, 'admin')];
    const { customerId, id } = await request(MOST + 1);
    await decide(nina, `${id}/approve`, { invoice_number: `N-${id}` });
    await api.superuser.query(change, [nina.name]);
    const second = await approve(ola!, id);
    expect([second.status, await second.json()]).toEqual([
      200,
      expect.objectContaining({
        ...{ status: 'pending', first_approved_by: `operator:${ola!.name}`, first_invoice_number: null },
      }),
    ]);
    expect((await approve(ola!, id)).status).toBe(400);
    expect(await booked(customerId)).toMatchObject({ topups: 0, invoices: 0 });
    const { rows } = await api.superuser.query<{ replaced: string | null }>(
      `select metadata ->> 'replaces' as replaced from audit_log where customer_id = $1 and action ~ 'approve-first' order by id`,
      [customerId],
    );
    expect(rows).toEqual([{ replaced: null }, { replaced: `operator:${nina.name}` }]);
    expect(await (await approve(per, id)).json()).toMatchObject({ status: 'approved' });
    expect(await booked(customerId)).toMatchObject({ topups: 1, invoices: 1 });
  });

  it('above it are also of people who have the command line only', async () => {
    const { customerId, id } = await request(MOST + 1);
    expect((await command('nils', 'approve', '--id', String(id))).code).toBe(0);
    expect(await (await approve(ola!, id)).json()).toMatchObject({ status: 'approved' });
    expect(await booked(customerId)).toMatchObject({ topups: 1, invoices: 1 });
  });

  it('above it are one decision when two approve at once', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { customerId, id } = await request(MOST + 1);
      const replies = await Promise.all([approve(kari!, id), approve(ola!, id)]);
      expect(await Promise.all(replies.map(async (reply) => [reply.status, await reply.text()]))).toEqual([
        ...[
          [200, expect.any(String)],
          [200, expect.any(String)],
        ],
      ]);
      expect(await booked(customerId)).toEqual({
        ...{ topups: 1, invoices: 1, decided: ['credit-request.approve-first', 'credit-request.approve'] },
      });
    }
  });

  it('are refused, not unavailable, while another one takes long', async () => {
    const { customerId, id } = await request(500);
    const other = await connectAsSuperuser(api.database);
    await other.query('begin');
    await other.query('select from ai_credit_request where customer_id = $1 and id = $2 for update', [customerId, id]);
    const reply = await approve(kari!, id);
    await other.query('commit');
    await other.end();
    expect([reply.status, await reply.json()]).toEqual([
      ...[
        400,
        expect.objectContaining({ detail: `Another person decides about the credit request ${id}: look again` }),
      ],
    ]);
    expect((await approve(kari!, id)).status).toBe(200);
  });

  it('up to it need one', async () => {
    const { id } = await request(MOST);
    expect(await (await approve(kari!, id)).json()).toMatchObject({ status: 'approved' });
  });

  it('are rejected by one person, whatever the amount', async () => {
    const { id } = await request(MOST + 1);
    await approve(kari!, id);
    const rejected = await kari!.post(`/credit-requests/${id}/reject`, { reason: 'An invoice is overdue' });
    expect(await rejected.json()).toMatchObject({ status: 'rejected' });
  });
});
