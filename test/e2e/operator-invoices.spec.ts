import type { Client } from 'pg';
import { type Sandbox, startSandbox } from '../../apps/sandbox/src/sandbox';
import { billingDay } from '@test/billing-days';
import { saveFakeCustomer } from '@test/factories/customer.factory';
import { operatorCommand } from '@test/operator-command';
import { startWorkerProcess, type WorkerProcess } from '@test/worker-process';
import { connectAsSuperuser, createTestDatabase, type TestDatabase } from '@test/test-database';
import { until } from '@test/until';

// Each command is a process, which is slow on a busy machine.
jest.setTimeout(240_000);

describe("The operator's command line: invoices, tickets and SMS", () => {
  let database: TestDatabase;
  let superuser: Client;
  let sandbox: Sandbox;
  let customer: string;
  let worker: WorkerProcess;

  beforeAll(async () => {
    sandbox = await startSandbox();
    database = await createTestDatabase();
    superuser = await connectAsSuperuser(database);
    customer = (await saveFakeCustomer(superuser)).id;
    worker = await startWorkerProcess({ DATABASE_URL: database.url, SANDBOX_URL: sandbox.url });
  });
  afterAll(async () => {
    await worker.stop();
    await superuser.end();
    await database.drop();
    await sandbox.close();
  });

  const run = (words: string[]) => operatorCommand(database, words, { environment: { SANDBOX_URL: sandbox.url } });
  const json = async <T>(line: string, ...more: string[]) => {
    const { code, stdout, stderr } = await run([...line.split(' '), ...more, '--json']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return JSON.parse(stdout) as T;
  };
  const actions = async () =>
    (
      await superuser.query<{ action: string }>(
        'select action from audit_log where customer_id = $1 order by created_at',
        [customer],
      )
    ).rows.map(({ action }) => action);

  it('adds an invoice, sets its status, and refuses a second with its number', async () => {
    const add = `invoice add --customer ${customer} --number 1001 --amount-nok 1250.50 --issue-date 2026-11-01 --due-date 2026-11-15`;
    const added = await json<{ id: string }>(add, '--pdf-url', 'https://files.example/1001.pdf');
    expect(added).toMatchObject({
      number: '1001',
      amount: '1250.50',
      amount_due: '1250.50',
      status: 'open',
      source: 'manual',
    });
    expect(await run([...add.split(' ')])).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('already is an invoice 1001'),
    });
    // Its place among others is that of its day.
    const placed = await superuser.query<{ at: Date }>('select created_at as at from invoice where id = $1', [
      added.id,
    ]);
    expect(placed.rows.map(({ at }) => at.toISOString())).toEqual(['2026-10-31T23:00:00.000Z']);
    const paid = await json(`invoice set-status --invoice ${added.id} --status paid`);
    expect(paid).toMatchObject({ status: 'paid', amount_due: '0.00', paid_at: expect.any(String) });
    expect(await json(`invoice set-status --invoice ${added.id} --status paid`)).toEqual(paid);
    expect(await json(`invoice set-status --invoice ${added.id} --status open`)).toMatchObject({
      amount_due: '1250.50',
      paid_at: null,
    });
    expect(await json(`invoice list --customer ${customer}`)).toHaveLength(1);
    expect((await actions()).slice(-4)).toEqual(['invoice.add', ...Array<string>(3).fill('invoice.set-status')]);
    const { rows } = await superuser.query(
      `select metadata from audit_log where customer_id = $1 and action = 'invoice.set-status' order by created_at`,
      [customer],
    );
    const change = (from: string, to: string) => ({ metadata: { invoice_id: added.id, from, to } });
    expect(rows).toEqual([change('open', 'paid'), change('paid', 'paid'), change('paid', 'open')]);
    // What is given up is owed all the same.
    const set = (status: string) => json(`invoice set-status --invoice ${added.id} --status ${status}`);
    expect(await set('uncollectible')).toMatchObject({ amount_due: '1250.50', paid_at: null });
    expect(await set('void')).toMatchObject({ amount_due: '0.00', paid_at: null });
    const today = await json<{ id: string }>(
      `invoice add --customer ${customer} --number 1002 --amount-nok 1 --issue-date ${billingDay()} --due-date 2999-12-31`,
    );
    const fresh = await superuser.query(
      `select from invoice where id = $1 and created_at > now() - interval '1 minute'`,
      [today.id],
    );
    expect(fresh.rowCount).toBe(1);
    await superuser.query('delete from invoice where id = $1', [today.id]);
  });

  it.each([
    ['--amount-nok', '1.005'],
    ['--amount-nok', '-5'],
    ['--amount-nok', '1,50'],
    ['--issue-date', '2026-02-30'],
    ['--pdf-url', 'javascript:alert(1)'],
  ])('refuses %s %s', async (flag, value) => {
    const words = `invoice add --customer ${customer} --number 9 --amount-nok 1 --issue-date 2026-11-01 --due-date 2026-11-15`;
    expect(await run([...words.split(' '), flag, value])).toMatchObject({ code: 2, stdout: '' });
  });

  it('links a customer, syncs it and shows the result', async () => {
    const [, , third] = sandbox.stripe.store.addInvoices({ customer: 'cus_op', count: 4, statuses: ['paid'] });
    sandbox.stripe.store.corrupt(third?.id ?? '');
    await json(`invoice link --customer ${customer} --source stripe --source-customer`, ' cus_op ');
    const spaces = [...`invoice link --customer ${customer} --source fiken --source-customer`.split(' '), ' '];
    expect(await run(spaces)).toMatchObject({ code: 4, stderr: expect.stringContaining('fiken') });
    const result = await json(`invoice sync --customer ${customer} --source stripe`);
    expect(result).toMatchObject({ outcome: 'succeeded', stored: 3, skipped: 1, problems: [{ source_id: third?.id }] });
    sandbox.stripe.always({ status: 401 });
    const { code, stdout } = await run(`invoice sync --customer ${customer} --source stripe --json`.split(' '));
    expect({ code, outcome: JSON.parse(stdout) }).toMatchObject({
      code: 1,
      outcome: { last_error: expect.stringContaining('401') },
    });
    const failing = [{ source: 'stripe', failures: expect.any(Number), source_customer_id: 'cus_op' }];
    expect(await json('invoice sync-status')).toMatchObject(failing);
    expect(await json('invoice sync-status --failing')).toMatchObject(failing);
    sandbox.stripe.always();
    const ids = async () =>
      (await superuser.query<{ id: string }>('select id from invoice where customer_id = $1 order by id', [customer]))
        .rows;
    const before = await ids();
    expect(await json('invoice sync --all --full')).toEqual({ accounts: 1 });
    await until(async () => (await json<unknown[]>('invoice sync-status --failing')).length === 0);
    expect(await json(`invoice sync --customer ${customer} --source stripe`)).toMatchObject({ outcome: 'succeeded' });
    expect(await ids()).toEqual(before);
    expect((await run(['invoice', 'sync'])).stderr).toContain('--all');
    const [synced] = (
      await superuser.query<{ id: string }>(`select id from invoice where customer_id = $1 and source = 'stripe'`, [
        customer,
      ])
    ).rows;
    expect(await run(`invoice set-status --invoice ${synced?.id} --status void`.split(' '))).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('stripe'),
    });
    expect(await json(`invoice unlink --customer ${customer} --source stripe`)).toEqual({ invoices_removed: 3 });
    expect((await actions()).at(-1)).toBe('invoice.unlink');
    expect(await json(`invoice list --customer ${customer}`)).toMatchObject([{ number: '1001', source: 'manual' }]);
  });

  it('asks no source for a sync that is not configured', async () => {
    const sync = `invoice sync --all --source fiken`.split(' ');
    expect(await operatorCommand(database, sync)).toMatchObject({
      code: 4,
      stdout: '',
      stderr: expect.stringContaining('fiken is not configured'),
    });
    expect(await json(sync.join(' '))).toEqual({ accounts: 0 });
  });

  it('answers tickets, with notes of its own', async () => {
    const id = '6b8f7f0a-4f0e-4a39-9d0c-7f0f3c2f8a11';
    await superuser.query(
      `insert into support_ticket (customer_id, id, title, body) values ($1, $2, 'Help', 'It is broken')`,
      [customer, id],
    );
    await superuser.query(
      `insert into support_ticket (customer_id, id, title, body) values ($1, gen_random_uuid(), 'Other', 'Open still')`,
      [customer],
    );
    await json(`ticket reply --ticket ${id} --body`, 'We are looking into it');
    await json(`ticket note --ticket ${id} --body`, 'The disk is full');
    await json(`ticket reply --ticket ${id} --author customer --body`, 'It came with the storm');
    await json(`ticket set-status --ticket ${id} --status pending`);
    expect(await json(`ticket list --customer ${customer} --status pending`)).toMatchObject([{ id, title: 'Help' }]);
    expect(await json(`ticket show --ticket ${id}`)).toMatchObject({
      status: 'pending',
      replies: [
        { author: 'operator', internal: false, body: 'We are looking into it' },
        { author: 'operator', internal: true, body: 'The disk is full' },
        { author: 'customer', internal: false, body: 'It came with the storm' },
      ],
    });
    expect((await actions()).slice(-4)).toEqual(['ticket.reply', 'ticket.note', 'ticket.reply', 'ticket.set-status']);
  });

  it('configures SMS, and refuses a sender that no gateway takes', async () => {
    const configure = `sms configure --customer ${customer}`;
    expect(await run(`${configure} --enabled true`.split(' '))).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('sender'),
    });
    expect(await run([...configure.split(' '), '--sender-id', 'Far Too Long Name'])).toMatchObject({ code: 4 });
    const settings = await json(`${configure} --enabled true --sender-id Acme --daily-cap 100`);
    expect(settings).toMatchObject({ enabled: true, sender_id: 'Acme', daily_cap: 100 });
    expect(await json(`${configure} --daily-cap default`)).toMatchObject({
      enabled: true,
      sender_id: 'Acme',
      daily_cap: null,
    });
    const limited = await json(`${configure} --daily-parts-cap 300 --countries no,SE`);
    expect(limited).toMatchObject({ sender_id: 'Acme', daily_parts_cap: 300, countries: ['NO', 'SE'] });
    await json(`${configure} --daily-cap 7`);
    expect(await json(`${configure} --enabled true`)).toMatchObject({ daily_cap: 7, daily_parts_cap: 300 });
    expect(await json(`${configure} --countries all`)).toMatchObject({ countries: [], daily_parts_cap: 300 });
    expect(await json(`${configure} --countries default --daily-parts-cap default`)).toMatchObject({
      countries: null,
      daily_parts_cap: null,
    });
    for (const [flag, value, code] of [
      ['--countries', 'NO,XX', 4],
      ['--countries', 'Norway', 4],
      ['--daily-parts-cap', '-1', 2],
      ['--sender-id', '2333', 4],
    ] as const) {
      expect(await run([...configure.split(' '), flag, value])).toMatchObject({ code, stdout: '' });
    }
    expect(await json(`sms log --customer ${customer}`)).toEqual([]);
    await superuser.query(
      `insert into sms_message (customer_id, id, recipient, sender_id, message, encoding, segments, gateway, created_at)
       select $1, app.first_id(at::timestamptz), '+4790000000', 'Acme', text, 'GSM-7', 1, '46elks', at::timestamptz
       from (values ('first', '2026-01-01'), ('second', '2026-01-02')) as v (text, at)`,
      [customer],
    );
    expect(await json(`sms log --customer ${customer}`)).toMatchObject([{ message: 'second' }, { message: 'first' }]);
  });
});
