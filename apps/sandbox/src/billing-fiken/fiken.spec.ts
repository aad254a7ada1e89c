import { type Sandbox, startSandbox } from '../sandbox';
import { type FikenCompany } from './fiken-store';

interface WireInvoice {
  invoiceId: number;
  invoiceNumber: number;
  net: number;
  vat: number;
  gross: number;
  kid: string;
  invoicePdf: { downloadUrl: string };
  associatedCreditNotes: number[];
  sale: { settled: boolean; outstandingBalance: number; writeOff: boolean };
}

describe('the Fiken stand-in', () => {
  let sandbox: Sandbox;
  let company: FikenCompany;

  beforeAll(async () => {
    sandbox = await startSandbox();
  });
  beforeEach(() => {
    sandbox.reset();
    company = sandbox.fiken.store.company('acme');
  });
  afterAll(() => sandbox.close());

  const get = (path: string, authorization = 'Bearer token') =>
    fetch(path.startsWith('http') ? path : `${sandbox.urls.fiken}${path}`, {
      headers: { ...(authorization && { authorization }) },
    });
  const list = async (query: string) => (await (await get(`/companies/acme/invoices${query}`)).json()) as WireInvoice[];

  it('tells of a company, and of none that does not exist', async () => {
    expect(await (await get('/companies/acme')).json()).toMatchObject({ slug: 'acme' });
    expect((await get('/companies/nobody')).status).toBe(404);
    expect((await get('/companies/acme', 'Bearer sandbox-invalid')).status).toBe(401);
  });

  it('pages through invoices in the order they were created', async () => {
    const added = company.addInvoices({ customerId: 1, count: 10_000 });
    const numbers: number[] = [];
    for (let page = 0; page < 100; page += 1) {
      const response = await get(`/companies/acme/invoices?page=${page}&pageSize=100`);
      const paging = ['page', 'page-size', 'page-count', 'result-count'].map((name) =>
        response.headers.get(`fiken-api-${name}`),
      );
      expect(paging).toEqual([String(page), '100', '100', '10000']);
      numbers.push(...((await response.json()) as WireInvoice[]).map(({ invoiceNumber }) => invoiceNumber));
    }

    expect(numbers).toEqual(added.map(({ invoiceNumber }) => invoiceNumber));
    expect(await list('?page=100&pageSize=100')).toEqual([]);
    expect(await list('')).toHaveLength(25);
  });

  it('writes an invoice whose amounts add up and whose KID has its check digit', async () => {
    company.addInvoices({ customerId: 42, count: 50, unpaidEvery: 2 });
    for (const invoice of await list('?pageSize=100')) {
      expect(invoice.net + invoice.vat).toBe(invoice.gross);
      const luhn = [...invoice.kid].reverse().reduce((sum, digit, index) => {
        const value = Number(digit) * (index % 2 ? 2 : 1);
        return sum + (value > 9 ? value - 9 : value);
      }, 0);
      expect(luhn % 10).toBe(0);
      expect(invoice.sale.outstandingBalance).toBe(invoice.sale.settled ? 0 : invoice.gross);
    }
    expect(await list('?settled=false&pageSize=100')).toHaveLength(25);
    const [first] = await list('');
    expect(first).toMatchObject({
      issueDate: '2026-01-02',
      dueDate: '2026-01-16',
      currency: 'NOK',
      customer: { contactId: 42 },
    });
    expect(first).not.toHaveProperty('status');
    expect(await (await get(`/companies/acme/invoices/${first?.invoiceId}`)).json()).toEqual(first);
  });

  it('filters by dates, customer, number and settlement', async () => {
    company.addInvoices({ customerId: 1, count: 10, unpaidEvery: 1 });
    company.addInvoices({ customerId: 2, count: 3, unpaidEvery: 1 });

    expect(await list('?customerId=2')).toHaveLength(3);
    expect(await list('?customerId=1&issueDateGe=2026-01-05')).toHaveLength(7);
    expect(await list('?customerId=1&issueDateGt=2026-01-05')).toHaveLength(6);
    expect(await list('?customerId=1&issueDateLe=2026-01-05')).toHaveLength(4);
    expect(await list('?customerId=1&issueDateLt=2026-01-05')).toHaveLength(3);
    expect(await list('?customerId=1&issueDate=2026-01-05')).toHaveLength(1);
    expect(await list('?invoiceNumber=10002')).toMatchObject([{ invoiceNumber: 10002 }]);
  });

  it('shows documents that were modified since a date', async () => {
    const [first, second, third] = company.addInvoices({ customerId: 1, count: 3, unpaidEvery: 1 });
    if (!first || !second || !third) throw new Error('no invoices');
    expect(await list('?lastModifiedGe=2026-03-01')).toEqual([]);
    company.settle(first.invoiceId, '2026-03-01');
    company.writeOff(second.invoiceId, '2026-03-02');
    const note = company.credit(third.invoiceId, '2026-03-03');

    expect(await list('?lastModifiedGe=2026-03-01')).toMatchObject([
      {
        invoiceId: first.invoiceId,
        sale: { settled: true, settledDate: '2026-03-01', totalPaid: first.gross, writeOff: false },
      },
      { invoiceId: second.invoiceId, sale: { settled: true, totalPaid: 0, writeOff: true } },
      { invoiceId: third.invoiceId, sale: { settled: true, totalPaid: 0 }, associatedCreditNotes: [note.creditNoteId] },
    ]);
    const notes = await get('/companies/acme/creditNotes?lastModifiedGe=2026-03-03');
    expect(notes.headers.get('fiken-api-result-count')).toBe('1');
    expect(await notes.json()).toMatchObject([
      { creditNoteId: note.creditNoteId, associatedInvoiceId: third.invoiceId, gross: third.gross },
    ]);
    expect((await get(`/companies/acme/creditNotes/${note.creditNoteId}`)).status).toBe(200);
  });

  it('gives a PDF only with the token', async () => {
    const [added] = company.addInvoices({ customerId: 1, count: 1 });
    const note = company.credit(added?.invoiceId ?? 0, '2026-02-01');
    const [invoice] = await list('');
    const url = invoice?.invoicePdf.downloadUrl ?? '';
    expect(url).toMatch(new RegExp(`^${sandbox.urls.fiken}/files/[0-9a-f-]{36}/faktura_2026_10001\\.pdf$`));
    expect((await get(url, '')).status).toBe(401);
    const pdf = await get(url);
    expect(pdf.headers.get('content-type')).toBe('application/pdf');
    expect(await pdf.text()).toMatch(/^%PDF/);

    expect((await get(url.replace(/files\/.{8}/, 'files/00000000'))).status).toBe(404);
    const { creditNotePdf } = (await (await get(`/companies/acme/creditNotes/${note.creditNoteId}`)).json()) as {
      creditNotePdf: { downloadUrl: string };
    };
    expect((await get(creditNotePdf.downloadUrl)).status).toBe(200);
  });

  it.each([
    ['no token', '', 401],
    ['an invalid token', 'Bearer sandbox-invalid', 401],
    ['a token without access', 'Bearer sandbox-forbidden', 403],
  ])('meets %s', async (_name, authorization, status) => {
    expect((await get('/companies/acme/invoices', authorization)).status).toBe(status);
  });

  it.each([
    ['/companies/none/invoices', 404],
    ['/companies/acme/invoices/1', 404],
    ['/companies/acme/invoices?pageSize=101', 400],
    ['/companies/acme/invoices?page=one', 400],
    ['/companies/acme/invoices?issueDateGe=yesterday', 400],
    ['/companies/acme/sales', 404],
  ])('refuses %s', async (path, status) => {
    expect((await get(path)).status).toBe(status);
  });

  describe('fails', () => {
    it('with 429 and Retry-After', async () => {
      sandbox.fiken.script({ status: 429, 'retry-after': 2 });
      const response = await get('/companies/acme/invoices');

      expect([response.status, response.headers.get('retry-after')]).toEqual([429, '2']);
    });

    it('by a directive in the token', async () => {
      expect((await get('/companies/acme/invoices', 'Bearer x[[sandbox:status=503]]')).status).toBe(503);
      expect((await get('/companies/acme/invoices', 'Bearer x[[sandbox:status=]]')).status).toBe(400);
    });

    it('with one malformed invoice among good ones', async () => {
      const [, second] = company.addInvoices({ customerId: 1, count: 3 });
      company.corrupt(second?.invoiceId ?? 0, { gross: undefined, dueDate: 'soon' });

      expect((await list('')).map(({ gross }) => typeof gross)).toEqual(['number', 'undefined', 'number']);
    });

    it('for a second concurrent request, in strict mode', async () => {
      sandbox.fiken.oneAtATime = true;
      const gate = sandbox.fiken.hold();
      const first = get('/companies/acme/invoices');
      await gate.holding(1);
      const second = get('/companies/acme/invoices');
      await gate.holding(2);
      gate.open();

      expect([(await first).status, (await second).status]).toEqual([200, 429]);
      expect((await get('/companies/acme/invoices')).status).toBe(200);
    });
  });
});
