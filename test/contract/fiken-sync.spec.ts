import { Test } from '@nestjs/testing';
import { InvoiceSyncModule, InvoiceSyncsService, RUN_DEADLINE_MS, type SyncOutcome } from '@domains/invoices';
import { type AppConfig, ConfigModule } from '@platform/config';
import { DatabaseModule } from '@platform/database';
import { NestLogger } from '@platform/logging';
import { billingDay } from '@test/billing-days';
import { type InvoiceFixture, createInvoiceFixture } from '@test/invoice.fixture';
import { until } from '@test/until';

describe('The sync with Fiken', () => {
  let fixture: InvoiceFixture;
  beforeAll(async () => (fixture = await createInvoiceFixture()));
  afterAll(() => fixture.close());
  beforeEach(async () => {
    fixture.sandbox.reset();
    fixture.sandbox.fiken.store.company('demo');
    await fixture.superuser.query('delete from billing_account');
  });

  afterEach(() => jest.restoreAllMocks());

  const sync = (customer: string) => fixture.sync(customer, 'fiken');
  const company = () => fixture.sandbox.fiken.store.company('demo');
  /** Another process's syncs, with other settings. */
  const moduleWith = async (settings: Partial<AppConfig>) => {
    const config = { ...fixture.database.config, ...settings };
    return Test.createTestingModule({
      imports: [ConfigModule.for(config), DatabaseModule.as('account_operator'), InvoiceSyncModule],
    })
      .setLogger(new NestLogger(config))
      .compile();
  };
  /** Runs syncs one after the other while another company is configured. @returns their outcomes */
  const syncAs = async (slug: string, ...customers: string[]) => {
    const module = await moduleWith({ FIKEN_COMPANY: slug });
    const outcomes: SyncOutcome[] = [];
    for (const customer of customers)
      outcomes.push(await module.get(InvoiceSyncsService).run(customer, 'fiken', new AbortController().signal));
    await module.close();
    return outcomes;
  };

  it('stores invoices and credit notes with the states that Fiken implies', async () => {
    const [paid, open, lost, credited] = company().addInvoices({ customerId: 7, count: 4, unpaidEvery: 1 });
    company().settle(paid?.invoiceId ?? 0, '2026-01-09');
    company().writeOff(lost?.invoiceId ?? 0, '2026-02-01');
    const note = company().credit(credited?.invoiceId ?? 0, '2026-02-02');
    const customer = await fixture.customer('fiken', '7');
    expect(await sync(customer)).toBe('succeeded');
    const byId = new Map((await fixture.rows(customer)).map((row) => [row.source_id, row]));
    expect(byId.size).toBe(5);
    expect(byId.get(String(paid?.invoiceId))).toMatchObject({
      status: 'paid',
      amount: String(paid?.gross),
      amount_due: '0',
      paid_at: new Date('2026-01-09T00:00:00Z'),
      kid: paid?.kid,
      number: String(paid?.invoiceNumber),
    });
    expect(byId.get(String(open?.invoiceId))).toMatchObject({
      status: 'open',
      amount_due: String(open?.gross),
      paid_at: null,
    });
    expect(byId.get(String(lost?.invoiceId))).toMatchObject({
      status: 'uncollectible',
      amount_due: String(lost?.gross),
    });
    expect(byId.get(String(credited?.invoiceId))).toMatchObject({ status: 'void', amount_due: '0' });
    expect(byId.get(`credit-note:${note.creditNoteId}`)).toMatchObject({
      type: 'credit_note',
      status: 'paid',
      amount: String(note.gross),
      amount_due: '0',
      number: String(note.creditNoteNumber),
    });
  });

  it('reads all pages one request at a time, and on the next run the changes', async () => {
    company().addInvoices({ customerId: 8, count: 230, everyDays: 0 });
    company().addInvoices({ customerId: 9, count: 120, everyDays: 0 });
    const [a, b] = [await fixture.customer('fiken', '8'), await fixture.customer('fiken', '9')];
    fixture.sandbox.fiken.oneAtATime = true;
    await fixture.syncDue();
    expect(fixture.sandbox.fiken.requests.length).toBe(3 + 1 + 2 + 1);
    expect([(await fixture.rows(a)).length, (await fixture.rows(b)).length]).toEqual([230, 120]);
    const unpaid = (await fixture.rows(a)).find(({ status }) => status === 'open');
    company().settle(Number(unpaid?.source_id), '2026-03-01');
    const before = fixture.sandbox.fiken.total;
    await sync(a);
    expect((await fixture.rows(a)).find(({ source_id }) => source_id === unpaid?.source_id)?.status).toBe('paid');
    // The two lists of changes, the two of what is unsettled, a page each, and the invoice that is in none.
    expect(fixture.sandbox.fiken.total - before).toBe(2 + 2 + 1);
  });

  it('skips a malformed invoice and reports it', async () => {
    const added = company().addInvoices({ customerId: 10, count: 5 });
    company().corrupt(added[2]?.invoiceId ?? 0);
    const customer = await fixture.customer('fiken', '10');
    expect(await sync(customer)).toBe('succeeded');
    expect(await fixture.rows(customer)).toHaveLength(4);
    const [report] = await fixture.report(customer);
    expect(report).toMatchObject({ skipped: 1, problems: [{ sourceId: String(added[2]?.invoiceId) }] });
  });

  it("never stores another contact's invoice, even if Fiken sends it", async () => {
    const [mine, theirs] = company().addInvoices({ customerId: 14, count: 2 });
    company().corrupt(theirs?.invoiceId ?? 0, { customer: { contactId: 15 } });
    const customer = await fixture.customer('fiken', '14');
    expect(await sync(customer)).toBe('succeeded');
    expect((await fixture.rows(customer)).map(({ source_id }) => source_id)).toEqual([String(mine?.invoiceId)]);
    const [report] = await fixture.report(customer);
    expect(report?.problems).toMatchObject([{ detail: 'It belongs to another customer' }]);
  });

  it('neither delays the other source nor is delayed by it', async () => {
    company().addInvoices({ customerId: 11, count: 3 });
    fixture.sandbox.stripe.store.addInvoices({ customer: 'cus_x', count: 3 });
    const onFiken = await fixture.customer('fiken', '11');
    const onStripe = await fixture.customer('stripe', 'cus_x');
    fixture.sandbox.stripe.always({ hang: true });
    await fixture.syncDue();
    expect(await fixture.rows(onFiken)).toHaveLength(3);
    const reports = await fixture.report();
    expect(reports.map(({ source, failures }) => ({ source, failures }))).toEqual(
      expect.arrayContaining([
        { source: 'fiken', failures: 0 },
        { source: 'stripe', failures: 1 },
      ]),
    );
    expect(await fixture.rows(onStripe)).toEqual([]);
  }, 20_000);

  it('runs once at a time per account', async () => {
    company().addInvoices({ customerId: 12, count: 3 });
    const customer = await fixture.customer('fiken', '12');
    const gate = fixture.sandbox.fiken.hold();
    const first = sync(customer);
    await gate.holding(1);
    const begun = (await fixture.report(customer))[0]?.runId;
    // A run that was given up may still be running: only the newer one writes.
    const second = sync(customer);
    await until(async () => (await fixture.report(customer))[0]?.runId !== begun);
    gate.open();
    expect([await first, await second]).toEqual(['superseded', 'succeeded']);
    expect(await fixture.rows(customer)).toHaveLength(3);
  });

  it('ends the request under way when the process ends, and goes on from there', async () => {
    company().addInvoices({ customerId: 13, count: 250, everyDays: 0 });
    const customer = await fixture.customer('fiken', '13');
    const stopping = new AbortController();
    const gate = fixture.sandbox.fiken.hold();
    // The request's own time would be over long after the test's.
    const module = await moduleWith({ BILLING_TIMEOUT_MS: 300_000 });
    const run = module.get(InvoiceSyncsService).run(customer, 'fiken', stopping.signal);
    await gate.holding(1);
    gate.release();
    await gate.holding(1);
    stopping.abort();
    expect(await run).toBe('stopped');
    gate.open();
    await module.close();
    expect(await fixture.rows(customer)).toHaveLength(100);
    expect((await fixture.report(customer))[0]).toMatchObject({ runId: null, failures: 0, lastError: null });
    await fixture.syncDue();
    expect(await fixture.rows(customer)).toHaveLength(250);
    expect(fixture.sandbox.fiken.total).toBe(3 + 1 + 1);
  });

  it.each([
    ['goes on later if it has stored a page', 250, 1, 'continued', { failures: 0, lastError: null }, 100],
    ['fails if it has read none', 250, 0, 'failed', { failures: 1, lastError: 'No page was read within 120 s' }, 0],
    ['fails if all that it has read was empty', 0, 1, 'failed', { failures: 1 }, 0],
  ])('whose time is over %s', async (_, invoices, pages, outcome, state, stored) => {
    const over = new AbortController();
    const timeout = AbortSignal.timeout.bind(AbortSignal);
    jest.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => (ms === RUN_DEADLINE_MS ? over.signal : timeout(ms)));
    company().addInvoices({ customerId: 23, count: invoices, everyDays: 0 });
    const customer = await fixture.customer('fiken', '23');
    const gate = fixture.sandbox.fiken.hold();
    const run = sync(customer);
    await gate.holding(1);
    for (let page = 0; page < pages; page++) {
      gate.release();
      await gate.holding(1);
    }
    over.abort();
    expect(await run).toBe(outcome);
    gate.open();
    expect(await fixture.rows(customer)).toHaveLength(stored);
    expect((await fixture.report(customer))[0]).toMatchObject({ runId: null, ...state });
    jest.restoreAllMocks();
    await fixture.superuser.query('update invoice_sync set due_at = app.now()');
    await fixture.syncDue();
    expect(await fixture.rows(customer)).toHaveLength(invoices);
  });

  it.each([
    ['repeats itself', { endless: true }, /repeats itself/, 2],
    ['announces items and has none', { 'blank-page': true }, /returns none/, 1],
  ] as const)('reads no further in a list that %s, and anew the next time', async (_, directives, message, pages) => {
    company().addInvoices({ customerId: 27, count: 3 });
    const customer = await fixture.customer('fiken', '27');
    fixture.sandbox.fiken.always(directives);
    expect(await sync(customer)).toBe('failed');
    expect(fixture.sandbox.fiken.total).toBe(pages);
    expect(await fixture.report(customer)).toMatchObject([{ lastError: expect.stringMatching(message) }]);
    expect((await fixture.report(customer))[0]?.checkpoint).toEqual({});
    fixture.sandbox.fiken.always();
    expect(await sync(customer)).toBe('succeeded');
    expect(await fixture.rows(customer)).toHaveLength(3);
  });

  it('reads the credit notes of invoices in other currencies that are partly credited: what is due is exact', async () => {
    const [partly, open] = company().addInvoices({ customerId: 16, count: 2, unpaidEvery: 1, currency: 'EUR' });
    const gross = partly?.gross ?? 0;
    for (const part of [1_234, 567]) company().credit(partly?.invoiceId ?? 0, '2026-02-01', part);
    const customer = await fixture.customer('fiken', '16');
    const due = async () => (await fixture.rows(customer)).slice(0, 2).map(({ amount_due }) => Number(amount_due));
    expect(await sync(customer)).toBe('succeeded');
    expect(await due()).toEqual([gross - 1_234 - 567, open?.gross]);
    company().credit(partly?.invoiceId ?? 0, '2026-02-02', 1);
    await sync(customer);
    expect(await due()).toEqual([gross - 1_234 - 567 - 1, open?.gross]);
  });

  it('fails while another company is configured than the one that an account was first synced with: nothing is void', async () => {
    const [open] = company().addInvoices({ customerId: 17, count: 1, unpaidEvery: 1 });
    fixture.sandbox.fiken.store.company('another').addInvoices({ customerId: 17, count: 2 });
    const customer = await fixture.customer('fiken', '17');
    await sync(customer);
    const asked = fixture.sandbox.fiken.total;
    expect(await syncAs('another', customer, customer)).toEqual(['failed', 'failed']);
    expect(fixture.sandbox.fiken.total).toBe(asked);
    expect(await fixture.rows(customer)).toMatchObject([{ source_id: String(open?.invoiceId), status: 'open' }]);
    expect((await fixture.report(customer))[0]?.lastError).toMatch(/company demo in fiken, and another is configured/);
    expect(await sync(customer)).toBe('succeeded');
  });

  it('goes on with the other company once the customer is unlinked and linked again: its numbers are its own', async () => {
    const [former] = company().addInvoices({ customerId: 23, count: 2 });
    company().credit(former?.invoiceId ?? 0, '2026-02-01');
    const other = fixture.sandbox.fiken.store.company('other');
    const invoices = other.addInvoices({ customerId: 24, count: 2 });
    const note = other.credit(invoices[0]?.invoiceId ?? 0, '2026-02-01');
    const [stays, goes] = [await fixture.customer('fiken', '23'), await fixture.customer('fiken', '25')];
    company().addInvoices({ customerId: 25, count: 1 });
    expect([await sync(stays), await sync(goes)]).toEqual(['succeeded', 'succeeded']);
    const before = await fixture.rows(stays);
    expect(before.map(({ number }) => number)).toEqual(['10001', '10002', '20001']);
    await fixture.accounts.unlink('operator:test', goes, 'fiken');
    await fixture.accounts.link('operator:test', goes, 'fiken', '24');
    // Of a customer that is not linked again, everything stays as it is.
    expect(await syncAs('other', goes, stays)).toEqual(['succeeded', 'failed']);
    expect((await fixture.rows(goes)).map(({ number, source_id }) => [number, source_id])).toEqual([
      ...invoices.map(({ invoiceNumber, invoiceId }) => [String(invoiceNumber), String(invoiceId)]),
      [String(note.creditNoteNumber), `credit-note:${note.creditNoteId}`],
    ]);
    expect((await fixture.report(goes))[0]?.problems).toEqual([]);
    // Within the other company, a number is still taken once. An id of the former company is no document that moved.
    const [double, same] = other.addInvoices({ customerId: 26, count: 2 });
    other.corrupt(double?.invoiceId ?? 0, { invoiceNumber: 10_001 });
    other.corrupt(same?.invoiceId ?? 0, { invoiceId: former?.invoiceId });
    const third = await fixture.customer('fiken', '26');
    expect(await syncAs('other', third)).toEqual(['succeeded']);
    expect(await fixture.rows(third)).toMatchObject([{ source_id: String(former?.invoiceId) }]);
    expect(await fixture.rows(stays)).toEqual(before);
    expect((await fixture.report(third))[0]?.problems).toMatchObject([{ sourceId: String(double?.invoiceId) }]);
  });

  it('is of the company that it was read from, and not of one that was configured and had none of it', async () => {
    company().addInvoices({ customerId: 21, count: 1, unpaidEvery: 1 });
    const customer = await fixture.customer('fiken', '21');
    fixture.sandbox.fiken.always({ status: 404 });
    expect(await sync(customer)).toBe('failed');
    const companyOf = async () =>
      (await fixture.superuser.query('select company from billing_account where customer_id = $1', [customer])).rows;
    expect(await companyOf()).toEqual([{ company: null }]);
    fixture.sandbox.fiken.always();
    expect(await sync(customer)).toBe('succeeded');
    expect(await companyOf()).toEqual([{ company: 'demo' }]);
  });

  it('goes on behind the feeds that a former release read, if that had come to the documents that none had listed', async () => {
    const [open] = company().addInvoices({ customerId: 22, count: 1, unpaidEvery: 1 });
    const customer = await fixture.customer('fiken', '22');
    await sync(customer);
    const { rows } = await fixture.superuser.query<{ checkpoint: { since: string } }>(
      'select checkpoint from invoice_sync where customer_id = $1',
      [customer],
    );
    const run = { startedAt: rows[0]?.checkpoint.since, feed: 3, position: 'credit-note:98' };
    await fixture.superuser.query('update invoice_sync set checkpoint = $2 where customer_id = $1', [
      customer,
      { ...rows[0]?.checkpoint, run },
    ]);
    expect(await sync(customer)).toBe('succeeded');
    expect(await fixture.rows(customer)).toMatchObject([{ source_id: String(open?.invoiceId), status: 'open' }]);
  });

  it('asks for no document alone that is written off, or an open credit note, in every run', async () => {
    const [lost, credited, paid] = company().addInvoices({ customerId: 18, count: 3, unpaidEvery: 1 });
    company().writeOff(lost?.invoiceId ?? 0, '2026-02-01');
    company().settle(paid?.invoiceId ?? 0, '2026-02-01');
    const note = company().credit(credited?.invoiceId ?? 0, '2026-02-01');
    note.settled = false;
    const customer = await fixture.customer('fiken', '18');
    await sync(customer);
    const before = fixture.sandbox.fiken.total;
    const status = async (id: string) =>
      (await fixture.rows(customer)).find(({ source_id }) => source_id === id)?.status;
    expect(await status(String(lost?.invoiceId))).toBe('uncollectible');
    await sync(customer);
    // The lists of changed and of unsettled documents.
    expect(fixture.sandbox.fiken.total).toBe(before + 4);
    // A note that is settled later is in none of them: Fiken does not tell when it changed.
    note.settled = true;
    expect(await status(`credit-note:${note.creditNoteId}`)).toBe('open');
    await sync(customer);
    expect(await status(`credit-note:${note.creditNoteId}`)).toBe('paid');
  });

  it('counts as a change, and tells of, whatever its customer sees change, and nothing else', async () => {
    const [invoice] = company().addInvoices({ customerId: 20, count: 1, unpaidEvery: 1 });
    const id = invoice?.invoiceId ?? 0;
    const customer = await fixture.customer('fiken', '20');
    const told = async () => {
      await sync(customer);
      const [{ updated_at } = { updated_at: new Date(0) }] = await fixture.rows(customer);
      const { rowCount } = await fixture.superuser.query('select from event where customer_id = $1', [customer]);
      return { rowCount, updated_at };
    };
    let before = await told();
    expect(before.rowCount).toBe(1);
    const fields: Record<string, unknown> = {};
    const days = [0, 1].map((ahead) => billingDay(new Date(Date.now() + ahead * 86_400_000)));
    for (const change of [
      () => company().corrupt(id, Object.assign(fields, { dueDate: '2026-03-01' })),
      () => company().corrupt(id, Object.assign(fields, { kid: '1234' })),
      () => company().corrupt(id, Object.assign(fields, { issueDate: '2026-01-03' })),
      () => company().corrupt(id, Object.assign(fields, { invoiceNumber: 77_777 })),
      () => company().corrupt(id, Object.assign(fields, { gross: 4711 })),
      // Paid, and then on another day.
      ...days.map((day) => () => company().settle(id, day)),
    ]) {
      change();
      const after = await told();
      expect(after.rowCount).toBe((before.rowCount ?? 0) + 1);
      expect(after.updated_at.getTime()).toBeGreaterThan(before.updated_at.getTime());
      expect(await told()).toEqual(after);
      before = after;
    }
  });

  it('sees that an invoice is open again, though none was open and Fiken does not say that it changed', async () => {
    const [paid] = company().addInvoices({ customerId: 19, count: 1 });
    const customer = await fixture.customer('fiken', '19');
    await sync(customer);
    expect(await fixture.rows(customer)).toMatchObject([{ status: 'paid', amount_due: '0' }]);
    company().unsettle(paid?.invoiceId ?? 0);
    await sync(customer);
    expect(await fixture.rows(customer)).toMatchObject([
      { status: 'open', amount_due: String(paid?.gross), paid_at: null },
    ]);
  });
});
