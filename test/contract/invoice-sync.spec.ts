import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import type { DirectiveValues } from '../../apps/sandbox/src/shared/faults/directives';
import { saveFakeInvoice } from '@test/factories/invoice.factory';
import { type InvoiceFixture, createInvoiceFixture } from '@test/invoice.fixture';
import { holdLock, waitForLocks } from '@test/locks';

describe('The sync with Stripe', () => {
  let fixture: InvoiceFixture;
  beforeAll(async () => (fixture = await createInvoiceFixture({ BILLING_TIMEOUT_MS: '2500' })));
  afterAll(() => fixture.close());
  beforeEach(async () => {
    fixture.sandbox.reset();
    await fixture.superuser.query('delete from billing_account');
  });

  const sync = (customer: string) => fixture.sync(customer, 'stripe');
  const report = async (customer: string) => (await fixture.report(customer))[0];

  it('stores every state with its amounts and dates', async () => {
    const statuses = ['draft', 'open', 'paid', 'void', 'uncollectible'] as const;
    const from = new Date('2026-01-01T08:00:00Z');
    const added = fixture.sandbox.stripe.store.addInvoices({ customer: 'cus_a', count: 5, statuses, from });
    const customer = await fixture.customer('stripe', 'cus_a');
    expect(await sync(customer)).toBe('succeeded');
    const rows = await fixture.rows(customer);
    expect(rows).toEqual(
      added.map(({ id, status, total }) =>
        expect.objectContaining({
          source: 'stripe',
          source_id: id,
          type: 'invoice',
          status,
          currency: 'NOK',
          amount: String(total),
          amount_due: status === 'open' || status === 'uncollectible' ? String(total) : '0',
          issue_date: '2026-01-01',
          due_date: '2026-01-15',
          number: status === 'draft' ? 'draft' : expect.stringMatching(/^SANDBOX-/),
          paid_at: status === 'paid' ? new Date(from.getTime() + (2 * 3600 + 3 * 86_400) * 1000) : null,
        }),
      ),
    );
  });

  it('reads all pages, and on the next run only new and unsettled documents', async () => {
    // Three full pages: a page that began too early would make a fourth.
    fixture.sandbox.stripe.store.addInvoices({ customer: 'cus_b', count: 300, statuses: ['paid'] });
    const customer = await fixture.customer('stripe', 'cus_b');
    await sync(customer);
    expect(await fixture.rows(customer)).toHaveLength(300);
    expect(fixture.sandbox.stripe.total).toBe(3 + 1);
    const [fresh] = fixture.sandbox.stripe.store.addInvoices({ customer: 'cus_b', count: 1, from: new Date() });
    await sync(customer);
    expect((await fixture.rows(customer)).map(({ source_id }) => source_id)).toContain(fresh?.id);
    // New invoices, and the credit notes; there are no unsettled ones to check.
    expect(fixture.sandbox.stripe.total).toBe(3 + 1 + 2);
    fixture.sandbox.stripe.store.addInvoices({ customer: 'cus_b', count: 1, statuses: ['open'] });
    await sync(customer);
    expect(fixture.sandbox.stripe.total).toBe(3 + 1 + 2 + 2);
  });

  it('updates each unsettled invoice, however old', async () => {
    const { store } = fixture.sandbox.stripe;
    const statuses = ['open', 'draft', 'uncollectible', 'open'] as const;
    const [open, draft, lost, still] = store.addInvoices({ customer: 'cus_c', count: 4, statuses });
    const customer = await fixture.customer('stripe', 'cus_c');
    await sync(customer);
    store.update(open?.id ?? '', { status: 'paid' });
    store.update(draft?.id ?? '', { status: 'open' });
    store.update(lost?.id ?? '', { status: 'void' });
    store.update(still?.id ?? '', { total: 4711 });
    await sync(customer);
    const rows = await fixture.rows(customer);
    expect(rows.map(({ status }) => status)).toEqual(['paid', 'open', 'void', 'open']);
    expect(rows[3]).toMatchObject({ amount: '4711', amount_due: '4711' });
  });

  it('stores credit notes, and notices when one is voided', async () => {
    const { store } = fixture.sandbox.stripe;
    const [credited, other] = store.addInvoices({ customer: 'cus_n', count: 2, statuses: ['paid'] });
    store.addInvoices({ customer: 'cus_other', count: 1 });
    const created = Date.parse('2026-02-03T23:30:00Z') / 1000;
    const note = store.addCreditNote(credited?.id ?? '', { total: 1250, created });
    const mistake = store.addCreditNote(other?.id ?? '');
    const customer = await fixture.customer('stripe', 'cus_n');
    expect(await sync(customer)).toBe('succeeded');
    const noteRows = async () =>
      (await fixture.rows(customer))
        .filter(({ type }) => type === 'credit_note')
        .sort((a, b) => (a.number < b.number ? -1 : 1));
    expect(await noteRows()).toEqual([
      expect.objectContaining({
        source_id: `credit-note:${note.id}`,
        number: 'SANDBOX-CN-01',
        status: 'paid',
        amount: '1250',
        amount_due: '0',
        currency: 'NOK',
        // The day in Norway.
        issue_date: '2026-02-04',
        due_date: null,
      }),
      expect.objectContaining({ source_id: `credit-note:${mistake.id}`, amount: String(other?.total), status: 'paid' }),
    ]);
    store.updateCreditNote(mistake.id, { status: 'void' });
    await sync(customer);
    expect((await noteRows()).map(({ status }) => status)).toEqual(['paid', 'void']);
    expect(await fixture.rows(customer)).toHaveLength(4);
  });

  it('stores an invoice with a negative total as a credit note, also if its draft was none', async () => {
    const { store } = fixture.sandbox.stripe;
    const [draft, usual] = store.addInvoices({ customer: 'cus_unused', count: 2, statuses: ['draft', 'paid'] });
    const customer = await fixture.customer('stripe', 'cus_unused');
    await sync(customer);
    store.update(draft?.id ?? '', { status: 'paid', total: -12_345 });
    await sync(customer);
    expect(await fixture.rows(customer)).toMatchObject([
      { type: 'credit_note', status: 'paid', amount: '12345', amount_due: '0', due_date: null, paid_at: null },
      { type: 'invoice', status: 'paid', amount: String(usual?.total) },
    ]);
  });

  it("never stores another customer's credit note, and says which it cannot read", async () => {
    const { store } = fixture.sandbox.stripe;
    const [first, second] = store.addInvoices({ customer: 'cus_o', count: 2 });
    const [theirs, broken] = [store.addCreditNote(first?.id ?? ''), store.addCreditNote(second?.id ?? '')];
    store.updateCreditNote(theirs.id, { corrupted: { customer: 'cus_other' } });
    store.updateCreditNote(broken.id, { corrupted: { total: 'a lot' } });
    const customer = await fixture.customer('stripe', 'cus_o');
    expect(await sync(customer)).toBe('succeeded');
    expect(await fixture.rows(customer)).toHaveLength(2);
    expect((await report(customer))?.problems).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ sourceId: `credit-note:${theirs.id}`, detail: 'It belongs to another customer' }),
        expect.objectContaining({ sourceId: `credit-note:${broken.id}`, detail: expect.stringContaining('total') }),
      ]),
    );
    store.updateCreditNote(broken.id, { corrupted: {} });
    await sync(customer);
    expect((await fixture.rows(customer)).filter(({ type }) => type === 'credit_note')).toHaveLength(1);
  });

  it('changes nothing when nothing has changed', async () => {
    fixture.sandbox.stripe.store.addInvoices({ customer: 'cus_d', count: 10 });
    const customer = await fixture.customer('stripe', 'cus_d');
    const synced = async () => {
      await sync(customer);
      const rows = await fixture.rows(customer);
      return {
        rows: rows.map(({ id, updated_at, created_at }) => ({ id, updated_at, created_at })),
        pages: rows.filter(({ status }) => status === 'open').map(({ hosted_url }) => hosted_url as string),
      };
    };
    const before = await synced();
    expect(await synced()).toEqual(before);
    // Stripe's pages have other addresses from time to time.
    fixture.sandbox.stripe.store.expireLinks();
    const after = await synced();
    expect(after.rows).toEqual(before.rows);
    expect(after.pages.map((page) => before.pages.includes(page))).toEqual(before.pages.map(() => false));
    expect(after.pages).not.toEqual([]);
  });

  it('skips and reports unreadable documents, and stores them once they are readable', async () => {
    const { store } = fixture.sandbox.stripe;
    const added = store.addInvoices({ customer: 'cus_e', count: 30, statuses: ['paid'] });
    const bad = added[10]?.id ?? '';
    store.corrupt(bad);
    const customer = await fixture.customer('stripe', 'cus_e');
    expect(await sync(customer)).toBe('succeeded');
    expect(await fixture.rows(customer)).toHaveLength(29);
    expect(await report(customer)).toMatchObject({
      stored: 29,
      skipped: 1,
      problems: [{ sourceId: bad, detail: expect.stringContaining('total') }],
    });
    store.corrupt(bad, {});
    await sync(customer);
    expect(await fixture.rows(customer)).toHaveLength(30);
    expect(await report(customer)).toMatchObject({ skipped: 0, problems: [] });
  });

  it("never stores another customer's invoice, even if Stripe sends it", async () => {
    const { store } = fixture.sandbox.stripe;
    const [mine, theirs] = store.addInvoices({ customer: 'cus_f', count: 2 });
    store.corrupt(theirs?.id ?? '', { customer: 'cus_other' });
    const customer = await fixture.customer('stripe', 'cus_f');
    await sync(customer);
    expect((await fixture.rows(customer)).map(({ source_id }) => source_id)).toEqual([mine?.id]);
    expect((await report(customer))?.problems).toMatchObject([{ detail: 'It belongs to another customer' }]);
  });

  it('waits as long as a 429 says, then goes on', async () => {
    fixture.sandbox.stripe.store.addInvoices({ customer: 'cus_g', count: 3 });
    const customer = await fixture.customer('stripe', 'cus_g');
    fixture.sandbox.stripe.script({ status: 429, 'retry-after': 1 });
    const start = Date.now();
    expect(await sync(customer)).toBe('succeeded');
    expect(Date.now() - start).toBeGreaterThanOrEqual(990);
    expect(await fixture.rows(customer)).toHaveLength(3);
  });

  it.each<[string, DirectiveValues, RegExp]>([
    ['is down', { status: 503 }, /answered 503/],
    ['does not answer', { hang: true }, /no reply came in time|took too long/],
    ['cuts the connection', { cut: true }, /connection ended/],
    ['sends HTML', { 'not-json': true }, /not JSON/],
    ['sends something else', { 'wrong-shape': true }, /not in the documented format/],
    ['sends a list without items', { reply: { body: { object: 'list', data: null, has_more: false } } }, /not a list/],
    ['does not say whether a list goes on', { reply: { body: { object: 'list', data: [] } } }, /not a list/],
    ['refuses the key', { status: 401 }, /answered 401/],
    ['wants to be left alone for an hour', { status: 429, 'retry-after': 3600 }, /answered 429/],
    ['wants to be left alone for a thousand days', { status: 429, 'retry-after': 86_400_000 }, /answered 429/],
  ])(
    'gives up for a while, and tells the operator, when Stripe %s',
    async (_, directives, message) => {
      fixture.sandbox.stripe.store.addInvoices({ customer: 'cus_h', count: 3 });
      const customer = await fixture.customer('stripe', 'cus_h');
      fixture.sandbox.stripe.always(directives);
      expect(await sync(customer)).toBe('failed');
      const failed = await report(customer);
      expect(failed).toMatchObject({ failures: 1, lastError: expect.stringMatching(message), runId: null });
      const pause = ((failed?.dueAt.getTime() ?? 0) - Date.now()) / 1000;
      // An hour is honoured; a longer time counts as absent.
      const asked = directives['retry-after'] === 3600 ? 3600 : 15;
      expect(pause).toBeGreaterThan(asked - 5);
      expect(pause).toBeLessThan(asked + 5);
      fixture.sandbox.stripe.always();
      expect(await sync(customer)).toBe('succeeded');
      expect(await report(customer)).toMatchObject({ failures: 0, lastError: null });
      expect(await fixture.rows(customer)).toHaveLength(3);
    },
    20_000,
  );

  it('says that the log has the cause, and no more, when it fails inside', async () => {
    fixture.sandbox.stripe.store.addInvoices({ customer: 'cus_inside', count: 1 });
    const customer = await fixture.customer('stripe', 'cus_inside');
    await fixture.superuser.query('revoke insert on invoice from account_operator');
    const logged = jest.spyOn(Logger.prototype, 'error').mockReturnValue();
    expect(await sync(customer)).toBe('failed');
    await fixture.superuser.query('grant insert on invoice to account_operator');
    expect(logged.mock.calls).toEqual([
      [
        expect.objectContaining({
          msg: 'invoice sync failed',
          err: expect.objectContaining({ code: '42501' }),
        }),
      ],
    ]);
    logged.mockRestore();
    expect(await report(customer)).toMatchObject({
      ...{ failures: 1, lastError: 'The sync failed because of an internal error; see the log' },
    });
  });

  it('is tried again after 15 seconds, then with doubling pauses: of a minute at most for an hour, then of the usual one', async () => {
    fixture.sandbox.stripe.store.addInvoices({ customer: 'cus_pauses', count: 1 });
    const customer = await fixture.customer('stripe', 'cus_pauses');
    fixture.sandbox.stripe.always({ status: 401 });
    const pause = async () => {
      expect(await sync(customer)).toBe('failed');
      const { dueAt, finishedAt } = (await report(customer)) ?? {};
      return Math.round(((dueAt?.getTime() ?? 0) - (finishedAt?.getTime() ?? 0)) / 1000);
    };
    const failingFor = (minutes: number) =>
      fixture.superuser.query(
        'update invoice_sync set failing_since = app.now() - make_interval(mins => $2) where customer_id = $1',
        [customer, minutes],
      );
    expect([await pause(), await pause(), await pause(), await pause()]).toEqual([15, 30, 60, 60]);
    await failingFor(59);
    expect(await pause()).toBe(60);
    await failingFor(61);
    expect([await pause(), await pause()]).toEqual([480, 900]);
    fixture.sandbox.stripe.always();
    await fixture.superuser.query('update invoice_sync set due_at = app.now() where customer_id = $1', [customer]);
    expect(await sync(customer)).toBe('succeeded');
    const { dueAt, finishedAt, failingSince } = (await report(customer)) ?? {};
    expect([(dueAt?.getTime() ?? 0) - (finishedAt?.getTime() ?? 0), failingSince]).toEqual([
      expect.closeTo(900_000, -4),
      null,
    ]);
  });

  it('reads all pages of credit notes', async () => {
    const { store } = fixture.sandbox.stripe;
    for (const { id } of store.addInvoices({ customer: 'cus_notes', count: 101, statuses: ['paid'] }))
      store.addCreditNote(id);
    const customer = await fixture.customer('stripe', 'cus_notes');
    expect(await sync(customer)).toBe('succeeded');
    expect((await fixture.rows(customer)).filter(({ type }) => type === 'credit_note')).toHaveLength(101);
  });

  it('gives others their turn after fifty pages, and goes on from there at once', async () => {
    const seconds = Date.parse('2026-01-01T08:00:00Z') / 1000;
    const page = (number: number) => {
      const [id, amounts] = [`in_${number}`, { currency: 'nok', total: 100, amount_remaining: 100 }];
      const invoice = {
        id,
        customer: 'cus_long',
        status: 'open',
        number: id,
        created: seconds,
        status_transitions: {},
      };
      return { reply: { body: { object: 'list', data: [{ ...invoice, ...amounts }], has_more: number < 55 } } };
    };
    fixture.sandbox.stripe.store.addCustomer('cus_long');
    fixture.sandbox.stripe.script(...Array.from({ length: 55 }, (_, index) => page(index + 1)));
    const customer = await fixture.customer('stripe', 'cus_long');
    expect(await sync(customer)).toBe('continued');
    expect(await fixture.rows(customer)).toHaveLength(50);
    const paused = await report(customer);
    expect(paused).toMatchObject({ runId: null, failures: 0, stored: 50 });
    expect(paused?.dueAt.getTime()).toBeLessThanOrEqual(Date.now());
    expect(await sync(customer)).toBe('succeeded');
    expect(await fixture.rows(customer)).toHaveLength(55);
    expect(await report(customer)).toMatchObject({ stored: 55 });
  });

  it.each<[string, DirectiveValues, RegExp]>([
    ['repeats itself', { endless: true }, /repeats itself/],
    ['announces items and has none', { 'blank-page': true }, /no cursor/],
  ])('reads a list that %s anew the next time, from the same day on', async (_, directives, message) => {
    const { store } = fixture.sandbox.stripe;
    store.addInvoices({ customer: 'cus_broken', count: 2, statuses: ['paid'] });
    const customer = await fixture.customer('stripe', 'cus_broken');
    await sync(customer);
    const { checkpoint } = (await report(customer)) ?? {};
    expect(checkpoint).toEqual({ since: expect.any(String) });
    store.addInvoices({ customer: 'cus_broken', count: 2, statuses: ['paid'], from: new Date() });
    fixture.sandbox.stripe.always(directives);
    expect(await sync(customer)).toBe('failed');
    expect(await report(customer)).toMatchObject({ lastError: expect.stringMatching(message) });
    expect((await report(customer))?.checkpoint).toEqual(checkpoint);
    fixture.sandbox.stripe.always();
    expect(await sync(customer)).toBe('succeeded');
    expect(await fixture.rows(customer)).toHaveLength(4);
  });
});

describe('Links to billing sources', () => {
  let fixture: InvoiceFixture;
  beforeAll(async () => (fixture = await createInvoiceFixture()));
  afterAll(() => fixture.close());

  it('give an account to one customer only, also when two are linked at once', async () => {
    const customers: string[] = [];
    for (const name of ['a', 'b', 'c']) customers.push(await fixture.customer('fiken', name));
    // Each looks for the account before one of them has it.
    const release = await holdLock(fixture.database, 'lock table billing_account in share mode');
    const linked = Promise.allSettled(
      customers.map((customer) => fixture.accounts.link('operator:test', customer, 'stripe', 'cus_shared')),
    );
    await waitForLocks(fixture.superuser, 2);
    await release();
    const links = await linked;
    expect(links.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('are refused for an id that cannot be one, a second account at a source, and a customer that is not there', async () => {
    const customer = await fixture.customer('fiken', 'one');
    const link = (source: 'stripe' | 'fiken', account: string, id = customer) =>
      fixture.accounts.link('operator:test', id, source, account);
    for (const account of ['', ' ', 'cus_\u0007', 'x'.repeat(201)])
      await expect(link('stripe', account)).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(link('fiken', 'two')).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(link('stripe', 'cus_nobody', randomUUID())).rejects.toMatchObject({ code: 'not_found' });
    await expect(fixture.accounts.unlink('operator:test', customer, 'stripe')).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(await link('stripe', ` ${'x'.repeat(200)} `)).toMatchObject({ sourceCustomerId: 'x'.repeat(200) });
    await fixture.accounts.unlink('operator:test', customer, 'stripe');
    const { rows } = await fixture.superuser.query(
      'select actor, action, metadata from audit_log where customer_id = $1 order by created_at, id',
      [customer],
    );
    const at = (source: string, account: string) => ({ source, source_customer_id: account });
    expect(rows).toEqual([
      { actor: 'operator:test', action: 'invoice.link', metadata: at('fiken', 'one') },
      { actor: 'operator:test', action: 'invoice.link', metadata: at('stripe', 'x'.repeat(200)) },
      {
        actor: 'operator:test',
        action: 'invoice.unlink',
        metadata: { ...at('stripe', 'x'.repeat(200)), invoices_removed: 0 },
      },
    ]);
  });

  it('leave nothing behind when undone', async () => {
    fixture.sandbox.stripe.store.addInvoices({ customer: 'cus_wrong', count: 3 });
    const customer = await fixture.customer('stripe', 'cus_wrong');
    await fixture.sync(customer, 'stripe');
    // What is of another source stays.
    const [manual, synced] = [
      await saveFakeInvoice(fixture.superuser, customer),
      await saveFakeInvoice(fixture.superuser, customer, { source: 'fiken' }),
    ];
    await fixture.accounts.link('operator:test', customer, 'fiken', 'right');
    expect(await fixture.accounts.unlink('operator:test', customer, 'stripe')).toEqual({ invoicesRemoved: 3 });
    expect((await fixture.rows(customer)).map(({ id }) => id as string).sort()).toEqual([manual.id, synced.id].sort());
    expect(await fixture.report(customer)).toMatchObject([{ source: 'fiken', sourceCustomerId: 'right' }]);
    // Readers of the log, and webhooks that are sent or repeated later, get the ids alone.
    const { rows: events } = await fixture.superuser.query(
      `select type, reference->>'id' is not null as has_id, record from event where customer_id = $1`,
      [customer],
    );
    expect(events).toEqual(Array(3).fill({ type: 'invoice.created', has_id: true, record: null }));
    expect(await fixture.sync(customer, 'stripe')).toBe('unlinked');
  });

  it.each([
    ['reads', {}],
    ['fails', { status: 401 }],
  ])('are undone while a sync %s: it ends, and nothing of it stays', async (_, directives) => {
    fixture.sandbox.stripe.reset();
    fixture.sandbox.stripe.store.addInvoices({ customer: 'cus_undone', count: 3 });
    const customer = await fixture.customer('stripe', 'cus_undone');
    const gate = fixture.sandbox.stripe.hold();
    fixture.sandbox.stripe.script(directives);
    const run = fixture.sync(customer, 'stripe');
    await gate.holding(1);
    await fixture.accounts.unlink('operator:test', customer, 'stripe');
    gate.open();
    expect(await run).toBe('superseded');
    expect(await fixture.rows(customer)).toEqual([]);
    expect(await fixture.report(customer)).toEqual([]);
  });

  it('are undone while a sync stores documents: neither waits for what the other has', async () => {
    const customer = await fixture.customer('stripe', 'cus_storing');
    // As a run stores its first documents.
    await fixture.superuser.query('begin');
    await fixture.superuser.query('update invoice_sync set stored = stored + 1 where customer_id = $1', [customer]);
    const unlinked = fixture.accounts.unlink('operator:test', customer, 'stripe');
    await waitForLocks(fixture.superuser, 1);
    await fixture.superuser.query(`update billing_account set company = 'a' where customer_id = $1`, [customer]);
    await fixture.superuser.query('commit');
    expect(await unlinked).toEqual({ invoicesRemoved: 0 });
  });
});
