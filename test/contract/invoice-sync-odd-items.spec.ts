import type { DirectiveValues } from '../../apps/sandbox/src/shared/faults/directives';
import { billingDay } from '@test/billing-days';
import { saveFakeInvoice } from '@test/factories/invoice.factory';
import { type InvoiceFixture, createInvoiceFixture } from '@test/invoice.fixture';

describe('Odd items of a source', () => {
  let fixture: InvoiceFixture;
  beforeAll(async () => (fixture = await createInvoiceFixture({ BILLING_TIMEOUT_MS: '10000' })));
  afterAll(() => fixture.close());
  beforeEach(async () => {
    fixture.sandbox.reset();
    fixture.sandbox.fiken.store.company('demo');
    await fixture.superuser.query('delete from invoice');
    await fixture.superuser.query('delete from billing_account');
  });
  const company = () => fixture.sandbox.fiken.store.company('demo');
  const report = async (customer: string) => (await fixture.report(customer))[0];

  it.each<[string, Record<string, unknown>]>([
    ['a NUL', { number: 'a\u0000b' }],
    ['half a character', { number: 'a\ud800' }],
    ['a control character', { number: 'a\u0007b' }],
    ['a number without an end', { number: '9'.repeat(5000) }],
    ['no possible date', { created: 1e15, status_transitions: { finalized_at: 1e15 } }],
    ['an amount beyond all bounds', { total: 1e300 }],
    ['a fraction that its currency does not have', { currency: 'isk', total: 12_345 }],
    ['a link that is none', { hosted_invoice_url: 'javascript:alert(1)' }],
  ])('with %s are listed with their id; the rest is stored', async (_, fields) => {
    const [first, odd, last] = fixture.sandbox.stripe.store.addInvoices({
      customer: 'cus_odd',
      count: 3,
      statuses: ['open'],
    });
    fixture.sandbox.stripe.store.corrupt(odd?.id ?? '', fields);
    const customer = await fixture.customer('stripe', 'cus_odd');
    expect(await fixture.sync(customer, 'stripe')).toBe('succeeded');
    expect((await fixture.rows(customer)).map(({ source_id }) => source_id)).toEqual([first?.id, last?.id]);
    expect(await report(customer)).toMatchObject({ stored: 2, skipped: 1, problems: [{ sourceId: odd?.id }] });
    fixture.sandbox.stripe.store.corrupt(odd?.id ?? '', {});
    await fixture.sync(customer, 'stripe');
    expect(await fixture.rows(customer)).toHaveLength(3);
  });

  it('that a rule of the database refuses are listed with their id; the rest is stored', async () => {
    const [first, odd, last] = fixture.sandbox.stripe.store.addInvoices({
      customer: 'cus_rule',
      count: 3,
      statuses: ['open'],
    });
    const customer = await fixture.customer('stripe', 'cus_rule');
    await fixture.superuser.query(`alter table invoice add constraint rule check (source_id <> '${odd?.id}')`);
    try {
      expect(await fixture.sync(customer, 'stripe')).toBe('succeeded');
    } finally {
      await fixture.superuser.query('alter table invoice drop constraint rule');
    }
    expect((await fixture.rows(customer)).map(({ source_id }) => source_id)).toEqual([first?.id, last?.id]);
    expect(await report(customer)).toMatchObject({
      ...{ stored: 2, skipped: 1, problems: [{ sourceId: odd?.id, detail: 'The database cannot store it' }] },
    });
  });

  it('are listed with all their faults, field by field', async () => {
    const [odd] = fixture.sandbox.stripe.store.addInvoices({ customer: 'cus_faults', count: 1, statuses: ['open'] });
    fixture.sandbox.stripe.store.corrupt(odd?.id ?? '', { currency: 7, total: 'much' });
    const customer = await fixture.customer('stripe', 'cus_faults');
    await fixture.sync(customer, 'stripe');
    const [problem] = (await report(customer))?.problems ?? [];
    expect(problem?.detail.split('; ').map((fault) => fault.split(': ')[0])).toEqual(
      expect.arrayContaining(['currency', 'total']),
    );
  });

  it('without an id keep the next sync from beginning later than this one', async () => {
    const [odd] = fixture.sandbox.stripe.store.addInvoices({ customer: 'cus_noid', count: 2, statuses: ['paid'] });
    fixture.sandbox.stripe.store.corrupt(odd?.id ?? '', { id: undefined });
    const customer = await fixture.customer('stripe', 'cus_noid');
    expect(await fixture.sync(customer, 'stripe')).toBe('succeeded');
    expect(await report(customer)).toMatchObject({ stored: 1, checkpoint: {} });
    // It is a problem as long as it is met.
    await fixture.sync(customer, 'stripe');
    expect((await report(customer))?.problems).toMatchObject([{ sourceId: 'without an id' }]);
    fixture.sandbox.stripe.store.corrupt(odd?.id ?? '', {});
    await fixture.sync(customer, 'stripe');
    expect(await fixture.rows(customer)).toHaveLength(2);
    expect((await report(customer))?.checkpoint.since).toBeDefined();
    expect((await report(customer))?.problems).toEqual([]);
  });

  /** The documents that the customer's events show, by their numbers; null for one that shows the id alone. */
  const told = async (customer: string) => {
    const { rows } = await fixture.superuser.query<{ number: string | null }>(
      `select record->>'number' as number from event where customer_id = $1 order by id`,
      [customer],
    );
    return rows.map(({ number }) => number);
  };

  it('that moved to another customer leave the first, in either order of syncs', async () => {
    const [moved] = fixture.sandbox.stripe.store.addInvoices({ customer: 'cus_from', count: 2, statuses: ['paid'] });
    fixture.sandbox.stripe.store.addCustomer('cus_to');
    const [from, to] = [await fixture.customer('stripe', 'cus_from'), await fixture.customer('stripe', 'cus_to')];
    await fixture.sync(from, 'stripe');
    expect(await fixture.rows(from)).toHaveLength(2);
    expect(await told(from)).not.toContain(null);
    fixture.sandbox.stripe.store.move(moved?.id ?? '', 'cus_to');
    await fixture.sync(to, 'stripe');
    // It is older than the documents that an incremental sync reads: a full sync finds it.
    await fixture.superuser.query(`update invoice_sync set checkpoint = '{}'`);
    await fixture.sync(to, 'stripe');
    expect((await fixture.rows(to)).map(({ source_id }) => source_id)).toEqual([moved?.id]);
    const [kept, ...others] = await fixture.rows(from);
    expect(others).toEqual([]);
    expect((await told(from)).sort()).toEqual([kept?.number, null]);
    expect(await told(to)).toEqual([expect.any(String)]);
    fixture.sandbox.stripe.store.move(moved?.id ?? '', 'cus_from');
    await fixture.superuser.query(`update invoice_sync set checkpoint = '{}'`);
    await fixture.sync(to, 'stripe');
    expect(await fixture.rows(to)).toHaveLength(0);
    expect(await told(to)).toEqual([null]);
    expect((await report(to))?.problems).toEqual([]);
    // As one that was stored for the wrong customer.
    const note = fixture.sandbox.stripe.store.addCreditNote(moved?.id ?? '');
    const sourceId = `credit-note:${note.id}`;
    await saveFakeInvoice(fixture.superuser, to, {
      ...{ source: 'stripe', type: 'credit_note', status: 'paid' },
      sourceId,
    });
    await fixture.superuser.query(`update invoice_sync set checkpoint = '{}'`);
    await fixture.sync(to, 'stripe');
    expect(await fixture.rows(to)).toHaveLength(0);
    expect((await report(to))?.problems).toEqual([]);
  });

  it('that are open and gone at their source are void after two looks, not at the first sign', async () => {
    const [open] = company().addInvoices({ customerId: 5, count: 1, unpaidEvery: 1 });
    const customer = await fixture.customer('fiken', '5');
    await fixture.sync(customer, 'fiken');
    company().remove(open?.invoiceId ?? 0);
    await fixture.sync(customer, 'fiken');
    expect(await fixture.rows(customer)).toMatchObject([{ status: 'open' }]);
    expect((await report(customer))?.problems).toMatchObject([{ detail: 'The source has it no more' }]);
    await fixture.sync(customer, 'fiken');
    expect(await fixture.rows(customer)).toMatchObject([{ status: 'void', amount_due: '0' }]);
    expect((await report(customer))?.problems).toEqual([]);
    const { rows: events } = await fixture.superuser.query(
      `select type, record ->> 'status' as status from event where customer_id = $1 order by id`,
      [customer],
    );
    expect(events).toEqual([
      { type: 'invoice.created', status: 'open' },
      { type: 'invoice.updated', status: 'void' },
    ]);
  });

  it('that cannot be read, and then are gone at their source, are no problem any more', async () => {
    const [odd] = company().addInvoices({ customerId: 16, count: 1 });
    company().corrupt(odd?.invoiceId ?? 0);
    const customer = await fixture.customer('fiken', '16');
    await fixture.sync(customer, 'fiken');
    expect((await report(customer))?.problems).toMatchObject([{ sourceId: String(odd?.invoiceId) }]);
    company().remove(odd?.invoiceId ?? 0);
    await fixture.sync(customer, 'fiken');
    expect((await report(customer))?.problems).toEqual([]);
  });

  it('that are drafts and gone at their source are deleted at the first look, and nobody hears of them', async () => {
    fixture.sandbox.stripe.store.addCustomer('cus_draft');
    const customer = await fixture.customer('stripe', 'cus_draft');
    await saveFakeInvoice(fixture.superuser, customer, { source: 'stripe', sourceId: 'in_gone', status: 'draft' });
    expect(await fixture.sync(customer, 'stripe')).toBe('succeeded');
    expect(await fixture.rows(customer)).toEqual([]);
    expect((await report(customer))?.problems).toEqual([]);
    const { rows: events } = await fixture.superuser.query('select from event where customer_id = $1', [customer]);
    expect(events).toEqual([]);
  });

  it("that a list says are another customer's now are this one's no more", async () => {
    const { store } = fixture.sandbox.stripe;
    const [mine, theirs] = store.addInvoices({ customer: 'cus_theirs', count: 2, statuses: ['open'] });
    const customer = await fixture.customer('stripe', 'cus_theirs');
    await fixture.sync(customer, 'stripe');
    expect(await fixture.rows(customer)).toHaveLength(2);
    store.corrupt(theirs?.id ?? '', { customer: 'cus_other' });
    await fixture.sync(customer, 'stripe');
    const [kept, ...others] = await fixture.rows(customer);
    expect([kept?.source_id, others]).toEqual([mine?.id, []]);
    expect((await told(customer)).sort()).toEqual([kept?.number, null]);
    expect((await report(customer))?.problems).toMatchObject([{ sourceId: theirs?.id }]);
  });

  it('whose ids cannot be stored are listed with what can be of them; the rest is stored', async () => {
    const { store } = fixture.sandbox.stripe;
    const added = store.addInvoices({ customer: 'cus_ids', count: 4, statuses: ['paid'] });
    const ids = ['in_\u0000\u001b1', 'in_\ud8002', `in_${'3'.repeat(600)}`];
    for (const [index, id] of ids.entries()) store.corrupt(added[index]?.id ?? '', { id });
    const customer = await fixture.customer('stripe', 'cus_ids');
    expect(await fixture.sync(customer, 'stripe')).toBe('succeeded');
    expect((await fixture.rows(customer)).map(({ source_id }) => source_id)).toEqual([added[3]?.id]);
    const listed = (await report(customer))?.problems.map(({ sourceId }) => sourceId).sort();
    expect(listed).toEqual(['in_\ufffd\ufffd1', 'in_\ufffd2', `in_${'3'.repeat(497)}`].sort());
  });

  it('that are paid and gone at their source stay paid', async () => {
    const [paid] = company().addInvoices({ customerId: 15, count: 1 });
    const customer = await fixture.customer('fiken', '15');
    await fixture.sync(customer, 'fiken');
    company().remove(paid?.invoiceId ?? 0);
    for (let look = 0; look < 2; look++) {
      // Everything is read anew.
      await fixture.superuser.query(`update invoice_sync set checkpoint = '{}'`);
      await fixture.sync(customer, 'fiken');
    }
    expect(await fixture.rows(customer)).toMatchObject([{ status: 'paid', amount: String(paid?.gross) }]);
  });

  it.each(['stripe', 'fiken'] as const)(
    'that are created or changed during a sync with %s come with the next one, ids as they were',
    async (source) => {
      const stripe = fixture.sandbox.stripe.store;
      const now = new Date();
      const today = billingDay(now);
      const add = (count: number) =>
        source === 'stripe'
          ? stripe
              .addInvoices({ customer: 'cus_during', count, statuses: ['open'], from: now, everySeconds: 0 })
              .map(({ id }) => id)
          : company()
              .addInvoices({ customerId: 6, count, from: today, everyDays: 0, unpaidEvery: 1 })
              .map(({ invoiceId }) => String(invoiceId));
      const [changed] = add(101);
      const customer = await fixture.customer(source, source === 'stripe' ? 'cus_during' : '6');
      const gate = fixture.sandbox[source].hold();
      const run = fixture.sync(customer, source);
      // The first page was generated, and is not sent yet.
      await gate.holding(1);
      if (source === 'stripe') stripe.update(changed ?? '', { status: 'paid' });
      else company().settle(Number(changed), today);
      const [created] = add(1);
      gate.open();
      expect(await run).toBe('succeeded');
      const before = new Map((await fixture.rows(customer)).map((row) => [row.source_id, row]));
      expect(await fixture.sync(customer, source)).toBe('succeeded');
      const after = new Map((await fixture.rows(customer)).map((row) => [row.source_id, row]));
      expect(after.get(created ?? '')).toMatchObject({ status: 'open' });
      expect(after.get(changed ?? '')).toMatchObject({ status: 'paid' });
      expect(after.size).toBe(102);
      for (const [id, row] of before) expect(after.get(id)?.id).toBe(row.id);
    },
  );

  it('get their place in the list when they are issued, not when their draft was made', async () => {
    const from = new Date('2026-01-01T08:00:00Z');
    const [draft] = fixture.sandbox.stripe.store.addInvoices({
      customer: 'cus_place',
      count: 1,
      statuses: ['draft'],
      from,
    });
    const customer = await fixture.customer('stripe', 'cus_place');
    const events = async () =>
      (await fixture.superuser.query('select type from event where customer_id = $1', [customer])).rows;
    await fixture.sync(customer, 'stripe');
    expect(await events()).toEqual([]);
    const finalized = Date.parse('2026-02-01T23:30:00Z') / 1000;
    // Stripe prints another day than that of the issue, if it is told to.
    const effectiveAt = Date.parse('2026-01-30T23:30:00Z') / 1000;
    fixture.sandbox.stripe.store.update(draft?.id ?? '', { status: 'open', effectiveAt });
    fixture.sandbox.stripe.store.corrupt(draft?.id ?? '', { status_transitions: { finalized_at: finalized } });
    await fixture.sync(customer, 'stripe');
    expect(await fixture.rows(customer)).toMatchObject([
      // The day in Norway.
      { status: 'open', created_at: new Date(finalized * 1000), issue_date: '2026-01-31' },
    ]);
    // New to its customer, who has heard nothing of the draft.
    expect(await events()).toEqual([{ type: 'invoice.created' }]);
  });

  it.each<[string, DirectiveValues]>([
    ['answers with an error', { status: 500 }],
    ['forbids', { status: 403 }],
    ['calls a bad request', { status: 400 }],
    ['answers with a page', { 'not-json': true }],
  ])('that Stripe %s when they are asked for alone are listed; what is new comes', async (_, refusal) => {
    const { store } = fixture.sandbox.stripe;
    const [odd] = store.addInvoices({ customer: 'cus_refused', count: 1, statuses: ['open'] });
    const customer = await fixture.customer('stripe', 'cus_refused');
    await fixture.sync(customer, 'stripe');
    store.update(odd?.id ?? '', { status: 'paid' });
    fixture.sandbox.stripe.alwaysFor(odd?.id ?? '', refusal);
    const [fresh] = store.addInvoices({ customer: 'cus_refused', count: 1, from: new Date(), statuses: ['paid'] });
    expect(await fixture.sync(customer, 'stripe')).toBe('succeeded');
    const statusOf = async () => new Map((await fixture.rows(customer)).map((row) => [row.source_id, row.status]));
    expect(await statusOf()).toEqual(
      new Map([
        [odd?.id, 'open'],
        [fresh?.id, 'paid'],
      ]),
    );
    expect((await report(customer))?.problems).toMatchObject([{ sourceId: odd?.id }]);
    fixture.sandbox.stripe.alwaysFor(odd?.id ?? '');
    await fixture.sync(customer, 'stripe');
    expect((await statusOf()).get(odd?.id ?? '')).toBe('paid');
    expect((await report(customer))?.problems).toEqual([]);
  });

  it('that Fiken answers with an error when they are asked for alone are listed; the others are read', async () => {
    // Another contact's, stored for the wrong customer: its lists do not tell of them.
    const [odd, other] = company().addInvoices({ customerId: 99, count: 2, unpaidEvery: 1 });
    const customer = await fixture.customer('fiken', '18');
    for (const sourceId of [odd, other].map((one) => String(one?.invoiceId)))
      await saveFakeInvoice(fixture.superuser, customer, { source: 'fiken', sourceId, status: 'open' });
    fixture.sandbox.fiken.alwaysFor(`invoices/${odd?.invoiceId}`, { status: 500 });
    expect(await fixture.sync(customer, 'fiken')).toBe('succeeded');
    expect((await fixture.rows(customer)).map(({ source_id }) => source_id)).toEqual([String(odd?.invoiceId)]);
    expect((await report(customer))?.problems).toMatchObject([{ sourceId: String(odd?.invoiceId) }]);
  });

  it('whose credit note Fiken answers with an error are listed; the others of their page are stored', async () => {
    const [odd, other] = company().addInvoices({ customerId: 19, count: 2, unpaidEvery: 1, currency: 'EUR' });
    const note = company().credit(odd?.invoiceId ?? 0, '2026-02-01', 100);
    fixture.sandbox.fiken.alwaysFor(`creditNotes/${note.creditNoteId}`, { status: 500 });
    const customer = await fixture.customer('fiken', '19');
    expect(await fixture.sync(customer, 'fiken')).toBe('succeeded');
    const invoices = (await fixture.rows(customer)).filter(({ type }) => type === 'invoice');
    expect(invoices.map(({ source_id }) => source_id)).toEqual([String(other?.invoiceId)]);
    expect((await report(customer))?.problems).toMatchObject([{ sourceId: String(odd?.invoiceId) }]);
  });

  it('are no problems of their own where the source gives no list either: the sync fails', async () => {
    const { store } = fixture.sandbox.stripe;
    const [odd] = store.addInvoices({ customer: 'cus_outage', count: 1, statuses: ['open'] });
    const customer = await fixture.customer('stripe', 'cus_outage');
    await fixture.sync(customer, 'stripe');
    store.update(odd?.id ?? '', { status: 'paid' });
    // It goes down behind the five lists.
    fixture.sandbox.stripe.script({}, {}, {}, {}, {});
    fixture.sandbox.stripe.always({ status: 500 });
    expect(await fixture.sync(customer, 'stripe')).toBe('failed');
    expect(await report(customer)).toMatchObject({ failures: 1, problems: [] });
  });

  it('that stop every run hold back new invoices no longer than syncs are apart', async () => {
    const { store } = fixture.sandbox.stripe;
    const [odd] = store.addInvoices({ customer: 'cus_stuck', count: 1, statuses: ['open'] });
    const customer = await fixture.customer('stripe', 'cus_stuck');
    await fixture.sync(customer, 'stripe');
    store.update(odd?.id ?? '', { status: 'paid' });
    // As if the credential were none: that says nothing about a document.
    fixture.sandbox.stripe.alwaysFor(odd?.id ?? '', { status: 401 });
    const add = () =>
      store.addInvoices({ customer: 'cus_stuck', count: 1, from: new Date(), statuses: ['paid'] })[0]?.id;
    const known = async () => (await fixture.rows(customer)).map(({ source_id }) => source_id);
    const first = add();
    expect(await fixture.sync(customer, 'stripe')).toBe('failed');
    expect(await known()).toContain(first);
    expect((await report(customer))?.lastError).toContain(odd?.id);
    const second = add();
    // A run goes on where the last one stopped, behind the lists, and not for ever.
    await fixture.superuser.query(`update invoice set synced_at = now() - interval '1 hour' where customer_id = $1`, [
      customer,
    ]);
    for (const minutes of [0, 14, 16]) {
      expect(await known()).not.toContain(second);
      await fixture.superuser.query(
        `update invoice_sync set failing_since = now() - interval '${minutes} minutes',
           checkpoint = jsonb_set(checkpoint, '{run,startedAt}', to_jsonb(now() - interval '${minutes} minutes'))
         where customer_id = $1`,
        [customer],
      );
      expect(await fixture.sync(customer, 'stripe')).toBe('failed');
    }
    expect(await fixture.sync(customer, 'stripe')).toBe('failed');
    expect(await known()).toContain(second);
  });
});
