import { InvoicesOperatorService } from '@domains/invoices';
import { type InvoiceFixture, createInvoiceFixture } from '@test/invoice.fixture';
import { saveFakeCustomer } from '@test/factories/customer.factory';

describe('An invoice number', () => {
  let fixture: InvoiceFixture;
  beforeAll(async () => (fixture = await createInvoiceFixture()));
  afterAll(() => fixture.close());

  const newCustomer = async () => (await saveFakeCustomer(fixture.superuser)).id;
  const add = (customerId: string, number: string) =>
    fixture.module
      .get(InvoicesOperatorService)
      .add('operator:test', { customerId, number, amount: 100n, issueDate: '2026-11-01', dueDate: '2026-11-15' });

  it('is unique over all customers, also under concurrent requests', async () => {
    const customers = await Promise.all(Array.from({ length: 5 }, newCustomer));
    const added = await Promise.allSettled(customers.map((customer) => add(customer, 'M-1')));
    const refused = added.filter((result) => result.status === 'rejected');
    expect(refused.map(({ reason }) => reason as unknown)).toEqual(
      Array.from({ length: 4 }, () =>
        expect.objectContaining({ code: 'invalid_request', detail: expect.stringContaining('invoice M-1') }),
      ),
    );
    const { rows } = await fixture.superuser.query(`select customer_id from invoice where number = 'M-1'`);
    expect(rows).toHaveLength(1);
  });

  it('is the same with blanks around it, and with its letters in another form', async () => {
    const [customer, other] = [await newCustomer(), await newCustomer()];
    expect(await add(customer, ' Bil\u00e5-7\u00a0')).toMatchObject({ number: 'Bil\u00e5-7' });
    await expect(add(other, 'Bila\u030a-7')).rejects.toMatchObject({ detail: expect.stringContaining('Bil\u00e5-7') });
    await expect(add(other, '\u00a0 ')).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('is free again if the invoice was not created', async () => {
    await expect(add('00000000-0000-4000-8000-000000000000', 'M-2')).rejects.toMatchObject({ code: 'not_found' });
    const customer = await newCustomer();
    const badDate = { customerId: customer, number: 'M-2', amount: 100n, issueDate: '2026-02-30' };
    await expect(fixture.module.get(InvoicesOperatorService).add('operator:test', badDate)).rejects.toThrow('date');
    // A thousand million NOK.
    const most = 100_000_000_000n;
    for (const fault of [
      ...[{ amount: 0n }, { amount: -1n }, { amount: most + 1n }, { dueDate: '2026-10-31' }, { kid: '1'.repeat(26) }],
      ...[
        { kid: '' },
        { pdfUrl: `https://a.example/${'x'.repeat(2_000)}` },
        { number: '' },
        { number: '2'.repeat(101) },
      ],
      { hostedUrl: `https://a.example/${'x'.repeat(2_000)}` },
    ]) {
      const invoice = { customerId: customer, number: 'M-2', amount: 100n, issueDate: '2026-11-01', ...fault };
      await expect(fixture.module.get(InvoicesOperatorService).add('operator:test', invoice)).rejects.toMatchObject({
        code: 'invalid_request',
      });
    }
    const added = { customerId: customer, number: 'M-2', amount: most, issueDate: '2026-11-01', dueDate: '2026-11-01' };
    const whole = { ...added, kid: '1'.repeat(25) };
    expect(await fixture.module.get(InvoicesOperatorService).add('operator:test', whole)).toMatchObject({
      ...{ number: 'M-2', amount: '1000000000.00', currency: 'NOK', status: 'open' },
    });
  });

  it('may be the same in another source', async () => {
    const { store } = fixture.sandbox.stripe;
    const [invoice] = store.addInvoices({ customer: 'cus_same', count: 1, statuses: ['paid'] });
    store.corrupt(invoice?.id ?? '', { number: 'M-3' });
    const customer = await fixture.customer('stripe', 'cus_same');
    await add(customer, 'M-3');
    expect(await fixture.sync(customer, 'stripe')).toBe('succeeded');
    expect((await fixture.rows(customer)).map(({ source, number }) => [source, number]).sort()).toEqual([
      ['manual', 'M-3'],
      ['stripe', 'M-3'],
    ]);
  });

  it('is none of drafts: any number of them are stored, of any customers', async () => {
    for (const account of ['cus_drafts', 'cus_more_drafts']) {
      fixture.sandbox.stripe.store.addInvoices({ customer: account, count: 2, statuses: ['draft'] });
      const customer = await fixture.customer('stripe', account);
      expect(await fixture.sync(customer, 'stripe')).toBe('succeeded');
      expect(await fixture.rows(customer)).toMatchObject([{ status: 'draft' }, { status: 'draft' }]);
      expect((await fixture.report(customer))[0]?.problems).toEqual([]);
    }
  });

  it("of another customer's invoice is a problem of the sync, which stores the rest, and takes it once it has its own", async () => {
    const { store } = fixture.sandbox.stripe;
    const [theirs] = store.addInvoices({ customer: 'cus_first', count: 1, statuses: ['open'] });
    const [first, doubled] = store.addInvoices({ customer: 'cus_second', count: 2, statuses: ['paid'] });
    store.corrupt(theirs?.id ?? '', { number: 'S-1' });
    store.corrupt(doubled?.id ?? '', { number: 'S-1' });
    const [one, two] = [await fixture.customer('stripe', 'cus_first'), await fixture.customer('stripe', 'cus_second')];
    await fixture.sync(one, 'stripe');
    // Again: the document that has the number keeps it.
    expect(await fixture.sync(one, 'stripe')).toBe('succeeded');
    expect(await fixture.sync(two, 'stripe')).toBe('succeeded');
    expect((await fixture.rows(one)).map(({ number }) => number)).toEqual(['S-1']);
    expect((await fixture.rows(two)).map(({ source_id }) => source_id)).toEqual([first?.id]);
    const [report] = await fixture.report(two);
    expect(report).toMatchObject({
      stored: 1,
      skipped: 1,
      problems: [{ sourceId: doubled?.id, detail: expect.stringContaining('S-1') }],
    });
    store.corrupt(doubled?.id ?? '', {});
    expect(await fixture.sync(two, 'stripe')).toBe('succeeded');
    expect(await fixture.rows(two)).toHaveLength(2);
    expect((await fixture.report(two))[0]?.problems).toEqual([]);
  });
});
