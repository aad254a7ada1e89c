import Stripe from 'stripe';
import { type Sandbox, startSandbox } from '../sandbox';

describe('the Stripe stand-in', () => {
  let sandbox: Sandbox;
  let client: Stripe;

  const clientFor = (key: string) =>
    new Stripe(key, {
      host: '127.0.0.1',
      port: new URL(sandbox.url).port,
      protocol: 'http',
      maxNetworkRetries: 0,
      telemetry: false,
    });

  beforeAll(async () => {
    sandbox = await startSandbox();
    client = clientFor('sk_test_1');
  });
  afterEach(() => sandbox.reset());
  afterAll(() => sandbox.close());

  const get = (path: string, authorization = 'Bearer sk_test_1') =>
    fetch(`${sandbox.urls.stripe}${path}`, { headers: { ...(authorization && { authorization }) } });

  it('lists a customer’s invoices to the official SDK, newest first, page by page', async () => {
    const added = sandbox.stripe.store.addInvoices({ customer: 'cus_1', count: 10_000 });
    sandbox.stripe.store.addInvoices({ customer: 'cus_2', count: 5 });
    const ids: string[] = [];
    for await (const invoice of client.invoices.list({ customer: 'cus_1', limit: 100 })) ids.push(invoice.id);

    expect(ids).toEqual(added.map(({ id }) => id).reverse());
    expect(sandbox.stripe.total).toBe(100);
  });

  it('writes the list envelope and the invoice', async () => {
    sandbox.stripe.store.addInvoices({ customer: 'cus_1', count: 3, statuses: ['paid', 'draft', 'open'] });
    const response = await get('/v1/invoices?customer=cus_1&limit=2');

    expect(response.headers.get('request-id')).toMatch(/^req_/);
    expect(await response.json()).toMatchObject({
      object: 'list',
      url: '/v1/invoices',
      has_more: true,
      data: [
        {
          object: 'invoice',
          customer: 'cus_1',
          status: 'open',
          currency: 'nok',
          number: 'SANDBOX-0003',
          amount_due: 33757,
          amount_paid: 0,
          amount_remaining: 33757,
          due_date: Date.parse('2026-01-15T10:00:00Z') / 1000,
          hosted_invoice_url: expect.stringContaining(`${sandbox.urls.stripe}/i/`),
        },
        {
          status: 'draft',
          number: null,
          invoice_pdf: null,
          hosted_invoice_url: null,
          status_transitions: { finalized_at: null },
        },
      ],
    });
    const paid = await client.invoices.retrieve('in_sandbox0000000001');
    expect(paid).toMatchObject({ status: 'paid', amount_paid: 17919, amount_remaining: 0 });
    expect(paid.status_transitions.paid_at).toBeGreaterThan(paid.created);
  });

  it('gives the same data in every run', async () => {
    const series = { customer: 'cus_1', count: 20 };
    const first = sandbox.stripe.store.addInvoices(series);
    sandbox.reset();

    expect(sandbox.stripe.store.addInvoices(series)).toEqual(first);
  });

  it('filters by creation time and status', async () => {
    const added = sandbox.stripe.store.addInvoices({ customer: 'cus_1', count: 10, statuses: ['paid', 'open'] });
    const fifth = added[4]?.created ?? 0;
    const count = async (parameters: Stripe.InvoiceListParams) =>
      (await client.invoices.list({ customer: 'cus_1', limit: 100, ...parameters })).data.length;

    expect(await count({ created: { gte: fifth } })).toBe(6);
    expect(await count({ created: { gt: fifth } })).toBe(5);
    expect(await count({ created: { lte: fifth } })).toBe(5);
    expect(await count({ created: { lt: fifth } })).toBe(4);
    expect(await count({ created: fifth })).toBe(1);
    expect(await count({ status: 'open' })).toBe(5);
  });

  it('pages backwards too', async () => {
    const added = sandbox.stripe.store.addInvoices({ customer: 'cus_1', count: 5 });
    const page = await client.invoices.list({ customer: 'cus_1', limit: 2, ending_before: added[1]?.id ?? '' });

    expect(page.data.map(({ id }) => id)).toEqual([added[3]?.id, added[2]?.id]);
    expect(page.has_more).toBe(true);
  });

  it('serves PDF and page without a credential, until the link expires', async () => {
    sandbox.stripe.store.addInvoices({ customer: 'cus_1', count: 1 });
    const invoice = await client.invoices.retrieve('in_sandbox0000000001');
    const pdf = await fetch(invoice.invoice_pdf ?? '');
    expect(pdf.headers.get('content-type')).toBe('application/pdf');
    expect(await pdf.text()).toMatch(/^%PDF-1\.4[^]*in_sandbox0000000001[^]*%%EOF\n$/);
    expect(await (await fetch(invoice.hosted_invoice_url ?? '')).text()).toContain('in_sandbox0000000001');

    sandbox.stripe.store.expireLinks();
    expect((await fetch(invoice.invoice_pdf ?? '')).status).toBe(404);
    const fresh = await client.invoices.retrieve('in_sandbox0000000001');
    expect((await fetch(fresh.invoice_pdf ?? '')).status).toBe(200);
  });

  it('lists credit notes, each with a PDF of its own', async () => {
    const { store } = sandbox.stripe;
    const [first, second] = store.addInvoices({ customer: 'cus_1', count: 2 });
    const [other] = store.addInvoices({ customer: 'cus_2', count: 1 });
    const notes = [first, second, other].map((invoice) => store.addCreditNote(invoice?.id ?? ''));
    const ids: string[] = [];
    for await (const note of client.creditNotes.list({ customer: 'cus_1', limit: 1 })) ids.push(note.id);
    expect(ids).toEqual([notes[1]?.id, notes[0]?.id]);
    expect((await client.creditNotes.list({ invoice: first?.id ?? '' })).data.map(({ id }) => id)).toEqual([
      notes[0]?.id,
    ]);

    const note = await client.creditNotes.retrieve(ids[0] ?? '');
    expect(note).toMatchObject({ object: 'credit_note', status: 'issued', total: second?.total, invoice: second?.id });
    expect(await (await fetch(note.pdf)).text()).toContain(note.id);
    store.expireLinks();
    expect((await fetch(note.pdf)).status).toBe(404);
    store.updateCreditNote(note.id, { status: 'void' });
    expect(await client.creditNotes.retrieve(note.id)).toMatchObject({ status: 'void', voided_at: expect.any(Number) });
    await expect(client.creditNotes.retrieve('cn_none')).rejects.toMatchObject({
      statusCode: 404,
      code: 'resource_missing',
    });
  });

  it('takes the key as a bearer token or as a user name', async () => {
    sandbox.stripe.store.addCustomer('cus_1');
    for (const authorization of ['Bearer sk_test_1', `Basic ${btoa('sk_test_1:')}`]) {
      expect((await get('/v1/invoices?customer=cus_1', authorization)).status).toBe(200);
    }
  });

  it.each([
    ['no key', '', 401],
    ['an invalid key', 'Bearer sk_test_sandbox-invalid', 401],
    ['a key without access', 'Bearer sk_test_sandbox-forbidden', 403],
  ])('meets %s', async (_name, authorization, status) => {
    const response = await get('/v1/invoices', authorization);

    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({
      error: { type: 'invalid_request_error', message: expect.any(String) },
    });
  });

  it.each([
    ['/v1/invoices?customer=cus_none', 400, { code: 'resource_missing', param: 'customer' }],
    ['/v1/invoices?starting_after=in_none', 400, { code: 'resource_missing', param: 'starting_after' }],
    ['/v1/invoices/in_none', 404, { code: 'resource_missing', param: 'id' }],
    ['/v1/invoices?limit=101', 400, { code: 'parameter_invalid_integer', param: 'limit' }],
    ['/v1/invoices?created[gte]=today', 400, { code: 'parameter_invalid_integer', param: 'created[gte]' }],
    ['/v1/invoices?colour=red', 400, { code: 'parameter_unknown', param: 'colour' }],
    ['/v1/invoices?status=late', 400, { param: 'status' }],
  ])('refuses %s', async (path, status, error) => {
    const response = await get(path);

    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error });
  });

  describe('fails', () => {
    beforeEach(() => sandbox.stripe.store.addInvoices({ customer: 'cus_1', count: 3 }));

    it('with 429 and Retry-After, which the SDK understands', async () => {
      sandbox.stripe.script({ status: 429, 'retry-after': 3 });
      const error = await client.invoices.list({ customer: 'cus_1' }).catch((caught: unknown) => caught);

      expect(error).toBeInstanceOf(Stripe.errors.StripeRateLimitError);
      expect((error as Stripe.errors.StripeRateLimitError).headers?.['retry-after']).toBe('3');
    });

    it('as long as it is down', async () => {
      sandbox.stripe.always({ status: 503 });
      await expect(client.invoices.list()).rejects.toMatchObject({ statusCode: 503 });
      sandbox.stripe.always();
      await expect(client.invoices.list()).resolves.toMatchObject({ object: 'list' });
    });

    it('on one page of several', async () => {
      sandbox.stripe.script({}, { cut: true }, { cut: true });
      const read = async () => {
        const ids: string[] = [];
        for await (const { id } of client.invoices.list({ customer: 'cus_1', limit: 1 })) ids.push(id);
        return ids;
      };

      // The SDK tries once more by itself when a connection is closed.
      await expect(read()).rejects.toThrow(Stripe.errors.StripeConnectionError);
      await expect(read()).resolves.toHaveLength(3);
    });

    it('by a directive in the key', async () => {
      await expect(clientFor('sk_test_[[sandbox:status=500]]').invoices.list()).rejects.toMatchObject({
        statusCode: 500,
      });
    });

    it('with one malformed invoice among good ones', async () => {
      sandbox.stripe.store.corrupt('in_sandbox0000000002');
      const { data } = await client.invoices.list({ customer: 'cus_1' });

      expect(data.map(({ total }) => typeof total)).toEqual(['number', 'string', 'number']);
    });
  });

  it('shows a change', async () => {
    sandbox.stripe.store.addInvoices({ customer: 'cus_1', count: 1, statuses: ['open'] });
    sandbox.stripe.store.update('in_sandbox0000000001', { status: 'paid' });

    expect(await client.invoices.retrieve('in_sandbox0000000001')).toMatchObject({
      status: 'paid',
      amount_remaining: 0,
    });
  });
});
