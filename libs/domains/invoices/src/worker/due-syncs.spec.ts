import { DueSyncsService, InvoiceSyncsOperatorService } from '@domains/invoices';
import { NO_CUSTOMER } from '@platform/context';
import { setDatabaseClock } from '@test/database-clock';
import { createInvoiceFixture, type InvoiceFixture } from '@test/invoice.fixture';
import { waitForLocks } from '@test/locks';
import { connectAsSuperuser } from '@test/test-database';

const LANE = { source: 'stripe', lane: 'well' } as const;

describe('A sync that is due', () => {
  let fixture: InvoiceFixture;
  let due: DueSyncsService;
  beforeAll(async () => {
    fixture = await createInvoiceFixture();
    due = fixture.module.get(DueSyncsService);
  });
  afterAll(() => fixture.close());

  const found = async () => (await due.find(LANE)).customerIds.sort();

  it('is found until it is queued, and again when it was made due since, or has waited so long that it may be lost', async () => {
    const [queued, refused] = [await fixture.customer('stripe', 'cus_1'), await fixture.customer('stripe', 'cus_2')];
    const both = [queued, refused].sort();
    const first = await due.find(LANE);
    expect([...first.customerIds].sort()).toEqual(both);
    // The queue took one, and refused the other.
    await due.markQueued(first, [queued]);
    expect(await found()).toEqual([refused]);
    await due.markQueued(await due.find(LANE), [refused]);
    expect(await found()).toEqual([]);
    await due.markQueued(await due.find(LANE), []);
    await fixture.superuser.query('update invoice_sync set due_at = app.now() where customer_id = $1', [queued]);
    expect(await found()).toEqual([queued]);
    await setDatabaseClock(fixture.superuser, { aheadBy: '11 minutes' });
    expect(await found()).toEqual(both);
    await setDatabaseClock(fixture.superuser, 'right');
  });

  it('is found after the database’s clock was set back: at once if it was due too late, and otherwise if the operator asks for it', async () => {
    for (const [aheadBy, atOnce] of [
      ['2 hours', true],
      ['30 minutes', false],
    ] as const) {
      await fixture.superuser.query('delete from billing_account');
      const customer = await fixture.customer('stripe', 'cus_1');
      fixture.sandbox.stripe.store.addCustomer('cus_1');
      await setDatabaseClock(fixture.superuser, { aheadBy });
      await due.markQueued(await due.find(LANE), [customer]);
      expect(await fixture.sync(customer, 'stripe')).toBe('succeeded');
      expect(await found()).toEqual([]);
      await setDatabaseClock(fixture.superuser, 'right');
      expect(await found()).toEqual(atOnce ? [customer] : []);
      const requests = fixture.module.get(InvoiceSyncsOperatorService);
      const request = { customerId: customer, source: 'stripe', full: false } as const;
      // No worker runs here: the run that ended in the future is not the one that is asked for.
      if (!atOnce) expect(await requests.requestAndWait('operator:test', request, 1)).toBeUndefined();
      expect(await found()).toEqual([customer]);
      // As the queue refuses it while its last run is in progress.
      await due.markQueued(await due.find(LANE), []);
      await due.markQueued(await due.find(LANE), [customer]);
      expect(await found()).toEqual([]);
      expect(await fixture.sync(customer, 'stripe')).toBe('succeeded');
      const [report] = await fixture.report(customer);
      expect(Number(report?.dueAt) - Date.now()).toBeLessThanOrEqual(15 * 60_000);
      expect(await found()).toEqual([]);
    }
  });
});

describe('Syncs that are due', () => {
  let fixture: InvoiceFixture;
  beforeAll(async () => (fixture = await createInvoiceFixture()));
  afterAll(() => fixture.close());

  const due = async (lane: 'well' | 'failing') =>
    (await fixture.module.get(DueSyncsService).find({ source: 'fiken', lane })).customerIds;
  const set = (customer: string, change: string) =>
    fixture.superuser.query(`update invoice_sync set ${change} where customer_id = $1`, [customer]);

  it('are found longest due first, those that failed apart, and a request makes one customer’s due', async () => {
    const customers: string[] = [];
    for (const account of ['21', '22', '23', '24', '25']) customers.push(await fixture.customer('fiken', account));
    const [first = '', second = '', failed = '', asked = '', later = ''] = customers;
    await set(second, `due_at = app.now() - interval '1 minute'`);
    await set(first, `due_at = app.now() - interval '2 minutes'`);
    await set(failed, `due_at = app.now() - interval '3 minutes', failures = 1`);
    for (const customer of [asked, later]) await set(customer, `due_at = app.now() + interval '1 hour'`);
    expect([await due('well'), await due('failing')]).toEqual([[first, second], [failed]]);
    const requests = fixture.module.get(InvoiceSyncsOperatorService);
    expect(await requests.request('operator:test', { customerId: asked, source: 'fiken' })).toBe(1);
    expect([await due('well'), await due('failing')]).toEqual([[first, second, asked], [failed]]);
  });

  it('that the operator asks for are found, though they were queued while the request waited for them', async () => {
    const customer = await fixture.customer('fiken', '31');
    const queue = await connectAsSuperuser(fixture.database);
    await queue.query('begin');
    await queue.query('select from invoice_sync where customer_id = $1 for update', [customer]);
    const requests = fixture.module.get(InvoiceSyncsOperatorService);
    const requested = requests.request('operator:test', { customerId: customer, source: 'fiken', full: true });
    await waitForLocks(fixture.superuser, 1);
    await queue.query('update invoice_sync set queued_at = clock_timestamp() where customer_id = $1', [customer]);
    await queue.query('commit');
    await queue.end();
    expect(await requested).toBe(1);
    expect(await due('well')).toContain(customer);
  });

  it('that the operator asks to read everything do so, instead of a run under way, and wait no more after failures', async () => {
    const { store } = fixture.sandbox.stripe;
    const [old] = store.addInvoices({ customer: 'cus_all', count: 1, statuses: ['paid'] });
    const customer = await fixture.customer('stripe', 'cus_all');
    const sync = () => fixture.sync(customer, 'stripe');
    await sync();
    const [before] = await fixture.rows(customer);
    store.update(old?.id ?? '', { total: 4711 });
    // What was paid long ago does not change, usually.
    await sync();
    expect(await fixture.rows(customer)).toEqual([expect.objectContaining({ ...before, synced_at: expect.any(Date) })]);
    fixture.sandbox.stripe.always({ status: 401 });
    await sync();
    fixture.sandbox.stripe.always();
    const gate = fixture.sandbox.stripe.hold();
    const run = sync();
    await gate.holding(1);
    const requests = fixture.module.get(InvoiceSyncsOperatorService);
    expect(await requests.request('operator:test', { customerId: customer, full: true })).toBe(1);
    gate.open();
    expect(await run).toBe('superseded');
    expect(await requests.request('operator:test', { source: 'stripe' })).toBe(1);
    const { rows: audited } = await fixture.superuser.query(
      `select customer_id, metadata from audit_log where action = 'invoice.sync' and actor = 'operator:test' order by id`,
    );
    expect(audited.slice(-2)).toEqual([
      { customer_id: customer, metadata: { full: true, accounts: 1 } },
      { customer_id: NO_CUSTOMER, metadata: { source: 'stripe', full: false, accounts: 1 } },
    ]);
    const [asked] = await fixture.report(customer);
    expect(asked).toMatchObject({ failures: 0, failingSince: null, runId: null, checkpoint: {} });
    expect(asked?.dueAt.getTime()).toBeLessThanOrEqual(Date.now());
    expect(await sync()).toBe('succeeded');
    expect(await fixture.rows(customer)).toMatchObject([{ id: before?.id, amount: '4711' }]);
  });

  it('that the operator asks for during a run which then fails are due at once', async () => {
    const customer = await fixture.customer('stripe', 'cus_refused');
    fixture.sandbox.stripe.alwaysFor('cus_refused', { status: 401 });
    const gate = fixture.sandbox.stripe.hold();
    const run = fixture.sync(customer, 'stripe');
    await gate.holding(1);
    const requests = fixture.module.get(InvoiceSyncsOperatorService);
    expect(await requests.request('operator:test', { customerId: customer, source: 'stripe' })).toBe(1);
    gate.open();
    expect(await run).toBe('failed');
    const lane = { source: 'stripe', lane: 'failing' } as const;
    expect((await fixture.module.get(DueSyncsService).find(lane)).customerIds).toEqual([customer]);
    // One that nobody asked for waits.
    expect(await fixture.sync(customer, 'stripe')).toBe('failed');
    expect((await fixture.module.get(DueSyncsService).find(lane)).customerIds).toEqual([]);
  });

  it('are waited for as long as the operator says, and not at all where there is no link', async () => {
    const requests = fixture.module.get(InvoiceSyncsOperatorService);
    const customerId = await fixture.customer('stripe', 'cus_waited');
    // No worker runs here.
    expect(
      await requests.requestAndWait('operator:test', { customerId, source: 'stripe', full: false }, 1),
    ).toBeUndefined();
    await expect(
      requests.requestAndWait('operator:test', { customerId, source: 'fiken', full: false }, 10_000),
    ).rejects.toMatchObject({ code: 'not_found' });
  });
});
