import { DataSource } from 'typeorm';
import { AuditService } from '@platform/audit';
import { CustomerErasureOperatorService } from '@schema';
import { billingDay } from '@test/billing-days';
import { setDatabaseClock } from '@test/database-clock';
import { saveFakeInvoice } from '@test/factories/invoice.factory';
import { type InvoiceFixture, createInvoiceFixture } from '@test/invoice.fixture';
import { holdLock, waitForLocks } from '@test/locks';
import { connectAsSuperuser } from '@test/test-database';

const MINUTE = 60_000;

/** The time before a run that it reads again, and the point from which an interrupted one goes on. */
describe('A sync after another', () => {
  let fixture: InvoiceFixture;
  beforeAll(async () => (fixture = await createInvoiceFixture()));
  afterAll(() => fixture.close());
  beforeEach(async () => {
    fixture.sandbox.reset();
    fixture.sandbox.fiken.store.company('demo');
    await fixture.superuser.query('delete from billing_account');
  });

  const ago = (ms: number) => new Date(Date.now() - ms);
  const checkpoint = async (customer: string) => (await fixture.report(customer))[0]?.checkpoint;
  const stored = async (customer: string) => (await fixture.rows(customer)).map(({ source_id }) => source_id);

  describe('with Stripe', () => {
    const store = () => fixture.sandbox.stripe.store;
    const sync = (customer: string, stop?: AbortSignal) => fixture.sync(customer, 'stripe', stop);
    /** Adds a paid invoice, which only the list of newly created documents shows. */
    const add = (account: string, from: Date) =>
      store().addInvoices({ customer: account, count: 1, statuses: ['paid'], from })[0]?.id ?? '';

    it('begins an hour before the last one began, for documents that its list shows late', async () => {
      store().addInvoices({ customer: 'cus_late', count: 3, statuses: ['paid'] });
      const customer = await fixture.customer('stripe', 'cus_late');
      const before = Date.now();
      await sync(customer);
      const since = new Date(String((await checkpoint(customer))?.since)).getTime();
      expect(since).toBeGreaterThanOrEqual(before - MINUTE);
      expect(since).toBeLessThanOrEqual(Date.now() + MINUTE);
      const [late, older] = [add('cus_late', ago(50 * MINUTE)), add('cus_late', ago(70 * MINUTE))];
      await sync(customer);
      expect(await stored(customer)).toContain(late);
      expect(await stored(customer)).not.toContain(older);
    });

    it('reads everything after the database’s clock was set back, which had been ahead at the last run, even if that failed', async () => {
      store().addCustomer('cus_ahead');
      const customer = await fixture.customer('stripe', 'cus_ahead');
      await setDatabaseClock(fixture.superuser, { aheadBy: '2 hours' });
      expect(await sync(customer)).toBe('succeeded');
      await setDatabaseClock(fixture.superuser, 'right');
      const meanwhile = add('cus_ahead', ago(MINUTE));
      expect(await sync(customer)).toBe('succeeded');
      expect(await stored(customer)).toEqual([meanwhile]);
      // The checkpoint is of a time that has come, the run behind it is not: its time tells that the clock was ahead.
      await setDatabaseClock(fixture.superuser, { aheadBy: '4 hours' });
      fixture.sandbox.stripe.alwaysFor('cus_ahead', { status: 500 });
      expect(await sync(customer)).toBe('failed');
      fixture.sandbox.stripe.alwaysFor('cus_ahead');
      await setDatabaseClock(fixture.superuser, 'right');
      const failed = add('cus_ahead', ago(180 * MINUTE));
      expect(await sync(customer)).toBe('succeeded');
      expect(await stored(customer)).toEqual([meanwhile, failed].sort());
      // The next one reads only new ones again.
      const old = add('cus_ahead', ago(180 * MINUTE));
      expect(await sync(customer)).toBe('succeeded');
      expect(await stored(customer)).not.toContain(old);
    });

    it('begins before the start of a run that was interrupted, not before its end', async () => {
      const added = store().addInvoices({ customer: 'cus_cut', count: 151, statuses: ['paid'] });
      // On the first page, the newest.
      store().corrupt(added.at(-1)?.id ?? '');
      const customer = await fixture.customer('stripe', 'cus_cut');
      await interrupted(customer, 1);
      expect(await fixture.rows(customer)).toHaveLength(99);
      expect(await checkpoint(customer)).toMatchObject({ run: { feed: 0, pages: 1 } });
      // As if the run had begun three hours ago.
      const startedAt = ago(180 * MINUTE).toISOString();
      await fixture.superuser.query(
        `update invoice_sync set checkpoint = jsonb_set(checkpoint, '{run,startedAt}', to_jsonb($2::text)) where customer_id = $1`,
        [customer, startedAt],
      );
      const requests = fixture.sandbox.stripe.total;
      expect(await sync(customer)).toBe('succeeded');
      expect(await fixture.rows(customer)).toHaveLength(150);
      // The second page, and the credit notes.
      expect(fixture.sandbox.stripe.total - requests).toBe(2);
      expect(await checkpoint(customer)).toEqual({ since: startedAt });
      // Of the whole run.
      expect(await fixture.report(customer)).toMatchObject([{ stored: 150, skipped: 1 }]);
      const meanwhile = add('cus_cut', ago(170 * MINUTE));
      await sync(customer);
      expect(await stored(customer)).toContain(meanwhile);
    });

    it('reads a list from its beginning where the document that it stopped at is gone', async () => {
      store().addInvoices({ customer: 'cus_gone', count: 150, statuses: ['paid'] });
      const customer = await fixture.customer('stripe', 'cus_gone');
      await interrupted(customer, 1);
      await fixture.superuser.query(
        `update invoice_sync set checkpoint = jsonb_set(checkpoint, '{run,position}', '"in_gone"') where customer_id = $1`,
        [customer],
      );
      expect(await sync(customer)).toBe('succeeded');
      expect(await fixture.rows(customer)).toHaveLength(150);
    });

    it('reads only new documents though it is interrupted itself', async () => {
      const customer = await fixture.customer('stripe', 'cus_new');
      store().addCustomer('cus_new');
      await sync(customer);
      const since = (await checkpoint(customer))?.since;
      const old = add('cus_new', ago(300 * MINUTE));
      store().addInvoices({ customer: 'cus_new', count: 150, statuses: ['paid'], from: new Date(), everySeconds: 1 });
      await interrupted(customer, 1);
      expect(await fixture.rows(customer)).toHaveLength(100);
      expect(await checkpoint(customer)).toMatchObject({ since, run: { feed: 0 } });
      await sync(customer);
      expect(await fixture.rows(customer)).toHaveLength(150);
      expect(await stored(customer)).not.toContain(old);
      expect(String((await checkpoint(customer))?.since) > String(since)).toBe(true);
    });

    /** Runs a sync and stops it while it waits for the page after this many. */
    async function interrupted(customer: string, pages: number): Promise<void> {
      const stopping = new AbortController();
      const gate = fixture.sandbox.stripe.hold();
      const run = sync(customer, stopping.signal);
      for (let page = 0; page < pages; page++) {
        await gate.holding(1);
        gate.release();
      }
      await gate.holding(1);
      stopping.abort();
      expect(await run).toBe('stopped');
      gate.open();
    }
  });

  it('with Fiken begins a day before the last one: changes are told by the day', async () => {
    const company = fixture.sandbox.fiken.store.company('demo');
    company.addInvoices({ customerId: 21, count: 2, everyDays: 0 });
    const customer = await fixture.customer('fiken', '21');
    await fixture.sync(customer, 'fiken');
    // Paid a week after it was issued, and not changed since.
    const paidDaysAgo = (days: number) =>
      company.addInvoices({
        customerId: 21,
        count: 1,
        from: billingDay(ago((days + 7) * 24 * 60 * MINUTE)),
      })[0]?.invoiceId;
    const [yesterday, before] = [paidDaysAgo(1), paidDaysAgo(4)];
    await fixture.sync(customer, 'fiken');
    expect(await stored(customer)).toContain(String(yesterday));
    expect(await stored(customer)).not.toContain(String(before));
  });
});

describe('An erasure', () => {
  let fixture: InvoiceFixture;
  beforeAll(async () => (fixture = await createInvoiceFixture()));
  afterAll(() => fixture.close());

  const sql = (text: string, customerId: string) => fixture.superuser.query(text, [customerId]);
  const erase = (customerId: string) =>
    new CustomerErasureOperatorService(fixture.module.get(DataSource), fixture.module.get(AuditService)).erase(
      'operator:test',
      customerId,
      { dryRun: false },
    );
  /** A deactivated customer that is linked to an account with an invoice. */
  async function customerOf(account: string): Promise<string> {
    fixture.sandbox.stripe.store.addInvoices({ customer: account, count: 1, statuses: ['paid'] });
    const customer = await fixture.customer('stripe', account);
    await sql('update customer set active = false where id = $1', customer);
    return customer;
  }

  it('leaves nothing for a sync that is due meanwhile: neither invoices nor events come any more', async () => {
    const customer = await customerOf('cus_due');
    await sql(`insert into sms_settings (customer_id, enabled, sender_id) values ($1, true, 'A')`, customer);
    const release = await holdLock(fixture.database, 'select from sms_settings where customer_id = $1 for update', [
      customer,
    ]);
    const erased = erase(customer);
    await waitForLocks(fixture.superuser, 1);
    await fixture.sync(customer, 'stripe');
    await release();
    expect(await erased).toContainEqual({ table: 'billing_account', rows: 1, done: 'deleted' });
    expect(await fixture.rows(customer)).toEqual([]);
    expect((await sql('select type from event where customer_id = $1', customer)).rows).toEqual([]);
  });

  it('waits for a sync that is storing an unpaid invoice, which is in its way then', async () => {
    const customer = await customerOf('cus_storing');
    const sync = await connectAsSuperuser(fixture.database);
    await sync.query('begin');
    await sync.query('update invoice_sync set stored = 1 where customer_id = $1', [customer]);
    await saveFakeInvoice(sync, customer);
    const refused = expect(erase(customer)).rejects.toThrow(/1 unpaid invoices/);
    await waitForLocks(fixture.superuser, 1);
    await sync.query('commit');
    await sync.end();
    await refused;
    expect(await fixture.report(customer)).toMatchObject([{ sourceCustomerId: 'cus_storing' }]);
  });

  it('keeps the invoices when their account is linked to another customer afterwards, who has them too', async () => {
    const customer = await customerOf('cus_back');
    await fixture.sync(customer, 'stripe');
    await erase(customer);
    const kept = await fixture.rows(customer);
    expect(kept).toMatchObject([{ status: 'paid', hosted_url: null }]);
    const returned = await fixture.customer('stripe', 'cus_back');
    expect(await fixture.sync(returned, 'stripe')).toBe('succeeded');
    expect(await fixture.rows(returned)).toMatchObject(kept.map(({ number, amount }) => ({ number, amount })));
    expect(await fixture.rows(customer)).toEqual(kept);
  });

  it('is not kept from by a credit note that is open: nothing is to be paid', async () => {
    const customer = await customerOf('cus_note');
    await saveFakeInvoice(fixture.superuser, customer, { type: 'credit_note', amountDue: '0' });
    await erase(customer);
    expect(await fixture.rows(customer)).toMatchObject([{ type: 'credit_note', status: 'open' }]);
  });
});
