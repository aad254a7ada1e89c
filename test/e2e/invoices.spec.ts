import { randomUUID } from 'node:crypto';
import { createCaller, startApi, type TestApi } from '@test/api';
import { setDatabaseClock } from '@test/database-clock';
import { expectProblem } from '@test/expect-problem';
import { saveFakeBillingAccount, saveFakeInvoice } from '@test/factories/invoice.factory';
import { createInvoiceFixture } from '@test/invoice.fixture';
import { describeAuthentication } from '@test/suites/authentication.suite';
import type { InvoiceDto } from '@records/invoice.dto';
import type { InvoicePageDto } from '../../apps/customer-api/src/invoices/invoice.dto';
import { type Sandbox, startSandbox } from '../../apps/sandbox/src/sandbox';

let api: TestApi;
let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
  api = await startApi({ SANDBOX_URL: sandbox.url, PUBLIC_URL: 'https://api.example', BILLING_TIMEOUT_MS: '5000' });
});
afterAll(async () => {
  await api.stop();
  await sandbox.close();
});
beforeEach(() => sandbox.reset());

type Caller = Awaited<ReturnType<typeof createCaller>>;
const list = async ({ call }: Caller, query = '') => (await (await call(`/invoices${query}`)).json()) as InvoicePageDto;

describe('GET /invoices', () => {
  describeAuthentication(() => api, { method: 'GET', path: '/invoices' }, 'invoices:read');

  it('gives each invoice with all its fields', async () => {
    const caller = await createCaller(api);
    const invoice = await saveFakeInvoice(api.superuser, caller.customer.id, {
      kid: '100200345',
      pdfUrl: 'https://files.example/10042.pdf',
      hostedUrl: 'https://pay.example/10042',
      createdAt: new Date('2026-01-01T08:00:00.123Z'),
    });
    expect((await list(caller)).data).toEqual([
      {
        id: invoice.id,
        type: 'invoice',
        number: '10042',
        source: 'manual',
        status: 'open',
        overdue: false,
        currency: 'NOK',
        amount: 1250.5,
        amount_due: 1250.5,
        issue_date: '2026-01-01',
        due_date: '2999-01-15',
        paid_at: null,
        kid: '100200345',
        pdf_url: 'https://files.example/10042.pdf',
        hosted_url: 'https://pay.example/10042',
        created_at: '2026-01-01T08:00:00.123000Z',
        updated_at: expect.any(String),
      },
    ]);
  });

  it.each<[string, Parameters<typeof saveFakeInvoice>[2], Partial<InvoiceDto>]>([
    ['an open invoice past its due date as overdue', { dueDate: '2026-01-02' }, { overdue: true }],
    [
      'a paid one never as overdue',
      { dueDate: '2026-01-02', status: 'paid', amountDue: '0' },
      { overdue: false, amount_due: 0 },
    ],
    ['one without a due date never as overdue', { dueDate: null }, { overdue: false, due_date: null }],
    [
      'a currency without minor unit in whole units',
      { currency: 'JPY', amount: '500', amountDue: '500' },
      { amount: 500 },
    ],
    [
      'a currency of thousandths',
      { currency: 'KWD', amount: '1234', amountDue: '0' },
      { amount: 1.234, amount_due: 0 },
    ],
    [
      'a credit note as one',
      { type: 'credit_note', amountDue: '0' },
      { type: 'credit_note', amount: 1250.5, amount_due: 0 },
    ],
    [
      'a credit note never as overdue',
      { type: 'credit_note', amountDue: '0', dueDate: '2026-01-02' },
      { status: 'open', overdue: false },
    ],
    ['an amount of one øre', { amount: '1', amountDue: '1' }, { amount: 0.01 }],
  ])('shows %s', async (_, overrides, expected) => {
    const caller = await createCaller(api);
    await saveFakeInvoice(api.superuser, caller.customer.id, overrides);
    expect((await list(caller)).data).toMatchObject([expected]);
  });

  it('shows one as overdue from the end of its due date in Norway on, independent of the date in UTC', async () => {
    const caller = await createCaller(api);
    await saveFakeInvoice(api.superuser, caller.customer.id, { dueDate: '2026-03-10' });
    const overdueAt = async (standsAt: string) => {
      await setDatabaseClock(api.superuser, { standsAt });
      return (await list(caller)).data[0]?.overdue;
    };
    try {
      expect(await overdueAt('2026-03-10T22:59:59Z')).toBe(false);
      expect(await overdueAt('2026-03-10T23:00:00Z')).toBe(true);
    } finally {
      await setDatabaseClock(api.superuser, 'right');
    }
  });

  it("hides drafts, and another customer's invoices", async () => {
    const [mine, other] = [await createCaller(api), await createCaller(api)];
    await saveFakeInvoice(api.superuser, mine.customer.id, { status: 'draft' });
    await saveFakeInvoice(api.superuser, other.customer.id);
    expect(await list(mine)).toEqual({ data: [], has_more: false, next_cursor: null });
  });

  it('hides drafts from a statement that forgets them', async () => {
    const { customer } = await createCaller(api);
    await saveFakeInvoice(api.superuser, customer.id, { status: 'draft' });
    await api.superuser.query('begin');
    await api.superuser.query('set local role customer_api');
    await api.superuser.query('select app.set_customer($1)', [customer.id]);
    const { rows } = await api.superuser.query('select 1 from invoice');
    await api.superuser.query('rollback');
    expect(rows).toEqual([]);
  });

  it('goes page by page, newest first, alone and filtered', async () => {
    const caller = await createCaller(api);
    for (let n = 1; n <= 7; n++) {
      await saveFakeInvoice(api.superuser, caller.customer.id, {
        number: String(n),
        status: n % 2 ? 'paid' : 'open',
        issueDate: `2026-01-0${n}`,
        createdAt: new Date(`2026-01-0${n}T00:00:00Z`),
      });
    }
    const numbers = async (filter: string) => {
      const pages: string[][] = [];
      let cursor: string | null = null;
      do {
        const page = await list(caller, `?limit=2${filter}${cursor ? `&cursor=${cursor}` : ''}`);
        pages.push(page.data.map(({ number }) => number));
        cursor = page.next_cursor;
      } while (cursor);
      return pages;
    };
    expect(await numbers('')).toEqual([['7', '6'], ['5', '4'], ['3', '2'], ['1']]);
    expect(await numbers('&status=paid')).toEqual([
      ['7', '5'],
      ['3', '1'],
    ]);
    expect(await numbers('&issue_date_from=2026-01-03&issue_date_to=2026-01-05')).toEqual([['5', '4'], ['3']]);
    expect(await numbers('&status=open&issue_date_from=2026-01-05')).toEqual([['6']]);
  });

  it.each([
    'status=draft',
    'status=',
    'issue_date_from=2026-13-01',
    'issue_date_from=2026-02-30',
    'issue_date_to=01.02.2026',
    'issue_date_to=2026-01-01T00:00:00Z',
    'limit=0',
    'cursor=x',
  ])('refuses ?%s', async (query) => {
    const { call } = await createCaller(api);
    const { errors } = await expectProblem(await call(`/invoices?${query}`), 400, 'invalid_request');
    expect(errors?.[0]?.pointer.replace('/', '')).toBe(query.split('=')[0]);
  });
});

describe('GET /invoices/:id/pdf', () => {
  describeAuthentication(
    () => api,
    { method: 'GET', path: `/invoices/${randomUUID()}/pdf`, otherwise: [404, 'not_found'] },
    'invoices:read',
  );

  const link = (customerId: string, source: string, account: string) =>
    saveFakeBillingAccount(api.superuser, customerId, source, account);

  /** A caller with one invoice that was synced from a source. */
  async function synced(source: 'stripe' | 'fiken') {
    const caller = await createCaller(api);
    const customerId = caller.customer.id;
    await link(customerId, source, source === 'stripe' ? customerId : '1');
    if (source === 'stripe') {
      const [added] = sandbox.stripe.store.addInvoices({ customer: customerId, count: 1, statuses: ['open'] });
      const sourceId = added?.id ?? '';
      await saveFakeInvoice(api.superuser, customerId, { source, sourceId, pdfReference: sourceId });
    } else {
      const [added] = sandbox.fiken.store.company('demo').addInvoices({ customerId: 1, count: 1 });
      const wire = (await (
        await fetch(`${sandbox.urls.fiken}/companies/demo/invoices/${added?.invoiceId}`, {
          headers: { authorization: 'Bearer x' },
        })
      ).json()) as { invoicePdf: { downloadUrl: string } };
      const pdfReference = wire.invoicePdf.downloadUrl;
      await saveFakeInvoice(api.superuser, customerId, { source, sourceId: String(added?.invoiceId), pdfReference });
    }
    const [invoice] = (await list(caller)).data;
    return { caller, invoice: invoice as InvoiceDto };
  }

  it.each(['stripe', 'fiken'] as const)('streams the PDF of %s, at the address that pdf_url gives', async (source) => {
    const { caller, invoice } = await synced(source);
    expect(invoice.pdf_url).toBe(`https://api.example/api/v1/invoices/${invoice.id}/pdf`);
    if (source === 'stripe') sandbox.stripe.store.expireLinks();
    const reply = await caller.call(`/invoices/${invoice.id}/pdf`);
    expect(reply.status).toBe(200);
    expect(reply.headers.get('content-type')).toBe('application/pdf');
    expect(reply.headers.get('content-disposition')).toBe('inline; filename="invoice-10042.pdf"');
    expect((await reply.text()).slice(0, 5)).toBe('%PDF-');
    // Whoever has a link of Stripe's needs no key, and gets none.
    const { authorization } = sandbox[source].requests.at(-1)?.headers ?? {};
    expect(authorization).toEqual(source === 'stripe' ? undefined : expect.stringMatching(/^Bearer ./));
  });

  it('streams the PDF of a Stripe credit note, and answers 404 when it is gone', async () => {
    const caller = await createCaller(api);
    await link(caller.customer.id, 'stripe', caller.customer.id);
    const [added] = sandbox.stripe.store.addInvoices({ customer: caller.customer.id, count: 1 });
    const note = sandbox.stripe.store.addCreditNote(added?.id ?? '');
    const saved = { source: 'stripe', type: 'credit_note', pdfReference: note.id } as const;
    const { id } = await saveFakeInvoice(api.superuser, caller.customer.id, {
      ...saved,
      sourceId: `credit-note:${note.id}`,
    });
    const gone = await saveFakeInvoice(api.superuser, caller.customer.id, {
      ...saved,
      sourceId: 'credit-note:cn_gone',
    });
    const reply = await caller.call(`/invoices/${id}/pdf`);
    expect(reply.status).toBe(200);
    expect(await reply.text()).toContain(note.id);
    await expectProblem(await caller.call(`/invoices/${gone.id}/pdf`), 404, 'not_found');
  });

  it("is 404 for another customer's invoice, one without a PDF, a draft, an unknown one and no id at all", async () => {
    const { invoice } = await synced('fiken');
    const caller = await createCaller(api);
    const without = await saveFakeInvoice(api.superuser, caller.customer.id);
    const draft = await saveFakeInvoice(api.superuser, caller.customer.id, { status: 'draft', pdfReference: 'x' });
    for (const id of [invoice.id, without.id, draft.id, randomUUID(), '1', 'x']) {
      await expectProblem(await caller.call(`/invoices/${id}/pdf`), 404, 'not_found');
    }
  });

  it.each(['stripe', 'fiken'] as const)('is 503 while %s is down, and says nothing of it', async (source) => {
    const { caller, invoice } = await synced(source);
    sandbox[source].always({ status: 500 });
    const problem = await expectProblem(await caller.call(`/invoices/${invoice.id}/pdf`), 503, 'service_unavailable');
    expect(JSON.stringify(problem)).not.toMatch(/sandbox|stripe|fiken/i);
  });

  it('is 503, and nothing is asked for, while another company is configured than the one that the account is of', async () => {
    const { caller, invoice } = await synced('fiken');
    const syncedWith = (company: string) =>
      api.superuser.query('update billing_account set company = $2 where customer_id = $1', [
        caller.customer.id,
        company,
      ]);
    await syncedWith('former');
    const before = sandbox.fiken.total;
    await expectProblem(await caller.call(`/invoices/${invoice.id}/pdf`), 503, 'service_unavailable');
    expect(sandbox.fiken.total).toBe(before);
    await syncedWith('demo');
    expect((await caller.call(`/invoices/${invoice.id}/pdf`)).status).toBe(200);
  });

  it.each(['stripe', 'fiken'] as const)(
    "is 404 when %s says that the document is another customer's now",
    async (source) => {
      const { caller, invoice } = await synced(source);
      const { rows } = await api.superuser.query<{ source_id: string }>('select source_id from invoice where id = $1', [
        invoice.id,
      ]);
      const id = rows[0]?.source_id ?? '';
      if (source === 'stripe') sandbox.stripe.store.corrupt(id, { customer: 'cus_other' });
      else sandbox.fiken.store.company('demo').corrupt(Number(id), { customer: { contactId: 2 } });
      await expectProblem(await caller.call(`/invoices/${invoice.id}/pdf`), 404, 'not_found');
    },
  );

  it.each([...[403, 404, 410].map((status) => ['stripe', status] as const), ...[['fiken', 404] as const]])(
    'asks %s once more when the link just given does not work (%d), and then no more',
    async (source, status) => {
      const { caller, invoice } = await synced(source);
      const before = sandbox[source].total;
      // Requests: the document, its file (gone), the document again, its file.
      const gone: Parameters<typeof sandbox.stripe.script> = [{}, { status }];
      sandbox[source].script(...gone);
      expect((await caller.call(`/invoices/${invoice.id}/pdf`)).status).toBe(200);
      sandbox[source].script(...gone, ...gone);
      await expectProblem(await caller.call(`/invoices/${invoice.id}/pdf`), 503, 'service_unavailable');
      expect(sandbox[source].total - before).toBe(4 + 4);
      // Another refusal is none of the link's.
      sandbox[source].script({}, { status: 400 });
      await expectProblem(await caller.call(`/invoices/${invoice.id}/pdf`), 503, 'service_unavailable');
      expect(sandbox[source].total - before).toBe(4 + 4 + 2);
    },
  );

  it.each(['stripe', 'fiken'] as const)(
    'streams what %s sends if it is a PDF, which begins in the first kB, of 16 MB at most',
    async (source) => {
      const { caller, invoice } = await synced(source);
      const pdf = async (blanks: number, bytes: number) => {
        const body = Buffer.alloc(bytes, ' ');
        body.write('%PDF-', blanks);
        sandbox[source].script({}, { reply: { status: 200, headers: { 'content-type': 'application/pdf' }, body } });
        const reply = await caller.call(`/invoices/${invoice.id}/pdf`);
        return [reply.status, reply.ok && Buffer.from(await reply.arrayBuffer()).equals(body)];
      };
      const most = 16 * 1024 * 1024;
      expect(await pdf(0, most)).toEqual([200, true]);
      expect(await pdf(0, most + 1)).toEqual([503, false]);
      expect(await pdf(1019, 2000)).toEqual([200, true]);
      expect(await pdf(1020, 2000)).toEqual([503, false]);
    },
  );

  it('that cannot be had keeps no place of its customer, and tells when to come again: as the source asks, else in half a minute', async () => {
    const { caller, invoice } = await synced('stripe');
    const pdf = () => caller.call(`/invoices/${invoice.id}/pdf`);
    const retryAfter = async () => (await pdf()).headers.get('retry-after');
    sandbox.stripe.always({ status: 429, 'retry-after': 77 });
    expect([await retryAfter(), await retryAfter()]).toEqual(['77', '77']);
    // More than a customer may have at a time.
    sandbox.stripe.always({ status: 401 });
    expect([await retryAfter(), await retryAfter(), await retryAfter()]).toEqual(['30', '30', '30']);
    sandbox.stripe.always();
    expect((await pdf()).status).toBe(200);
  });

  it('has a file name of plain characters, whatever the number of the invoice', async () => {
    const { caller, invoice } = await synced('fiken');
    await api.superuser.query('update invoice set number = $2 where id = $1', [
      invoice.id,
      '2026/17 "Ø"; x-\u00fc.B_1',
    ]);
    const reply = await caller.call(`/invoices/${invoice.id}/pdf`);
    expect(reply.headers.get('content-disposition')).toBe('inline; filename="invoice-2026_17_x-_.B_1.pdf"');
  });

  it.each(['stripe', 'fiken'] as const)('is 404 when %s has none of it any more', async (source) => {
    const { caller, invoice } = await synced(source);
    const { rows } = await api.superuser.query<{ source_id: string }>('select source_id from invoice where id = $1', [
      invoice.id,
    ]);
    const id = rows[0]?.source_id ?? '';
    if (source === 'stripe') sandbox.stripe.store.corrupt(id, { invoice_pdf: null });
    else sandbox.fiken.store.company('demo').corrupt(Number(id), { invoicePdf: null });
    await expectProblem(await caller.call(`/invoices/${invoice.id}/pdf`), 404, 'not_found');
  });

  it("follows Fiken's present link when its address has changed since the sync", async () => {
    const { caller, invoice } = await synced('fiken');
    await api.superuser.query(`update invoice set pdf_reference = 'https://former.example/x.pdf' where id = $1`, [
      invoice.id,
    ]);
    const reply = await caller.call(`/invoices/${invoice.id}/pdf`);
    expect(reply.status).toBe(200);
    expect((await reply.text()).slice(0, 5)).toBe('%PDF-');
  });

  it('sends the credential to the billing source and nowhere else', async () => {
    const { caller, invoice } = await synced('fiken');
    const elsewhere = await startSandbox();
    const { rows } = await api.superuser.query<{ source_id: string }>('select source_id from invoice where id = $1', [
      invoice.id,
    ]);
    sandbox.fiken.store.company('demo').corrupt(Number(rows[0]?.source_id), {
      invoicePdf: { downloadUrl: `${elsewhere.url}/fiken/api/v2/files/x/y.pdf` },
    });
    await expectProblem(await caller.call(`/invoices/${invoice.id}/pdf`), 503, 'service_unavailable');
    expect(elsewhere.fiken.total).toBe(0);
    await elsewhere.close();
  });
});

describe('Documents that were synced', () => {
  it('are there for the customer as their sources have them, those of both in one list, each with its PDF', async () => {
    const fixture = await createInvoiceFixture();
    const { stripe, fiken } = fixture.sandbox;
    const statuses = ['open', 'draft', 'paid'] as const;
    const from = new Date('2026-03-01T08:00:00Z');
    const [open, , paid] = stripe.store.addInvoices({ customer: 'cus_a', count: 3, statuses, from });
    const note = stripe.store.addCreditNote(paid?.id ?? '', { created: Date.parse('2026-03-05T09:00:00Z') / 1000 });
    const company = fiken.store.company('demo');
    const [plain, bare] = company.addInvoices({ customerId: 1, count: 2, from: '2026-02-01', unpaidEvery: 1 });
    company.corrupt(bare?.invoiceId ?? 0, { kid: '', dueDate: undefined, currency: undefined, invoicePdf: undefined });
    const taken = company.credit(plain?.invoiceId ?? 0, '2026-02-20', 100);
    const over = await startApi({}, fixture.database);
    const caller = await createCaller(over);
    for (const [source, account] of [['stripe', 'cus_a'] as const, ['fiken', '1'] as const]) {
      await fixture.accounts.link('operator:test', caller.customer.id, source, account);
      expect(await fixture.sync(caller.customer.id, source)).toBe('succeeded');
    }
    const pdf = (id: string) => expect.stringMatching(`/api/v1/invoices/${id}/pdf$`) as string;
    const of = (source: string) => ({ source, paid_at: null, kid: null, hosted_url: null, currency: 'NOK' });
    const { data } = await list(caller);
    const ids = data.map(({ id }) => id);
    expect(data.map(({ pdf_url }) => pdf_url)).toEqual(ids.map((id, index) => (index === 4 ? null : pdf(id))));
    expect(data).toMatchObject([
      {
        ...of('stripe'),
        ...{ type: 'credit_note', status: 'paid', number: 'SANDBOX-CN-01', amount: note.total / 100, amount_due: 0 },
        ...{ issue_date: '2026-03-05', due_date: null, created_at: '2026-03-05T09:00:00.000000Z' },
      },
      {
        ...of('stripe'),
        ...{ type: 'invoice', status: 'paid', number: 'SANDBOX-0003', amount: (paid?.total ?? 0) / 100, amount_due: 0 },
        ...{ paid_at: expect.any(String), hosted_url: expect.stringContaining(paid?.id ?? '') },
      },
      {
        ...of('stripe'),
        ...{ status: 'open', number: 'SANDBOX-0001', amount_due: (open?.total ?? 0) / 100, due_date: '2026-03-15' },
        ...{ hosted_url: expect.stringContaining(open?.id ?? ''), created_at: '2026-03-01T08:01:00.000000Z' },
      },
      {
        ...of('fiken'),
        ...{
          type: 'credit_note',
          number: String(taken.creditNoteNumber),
          amount: 1,
          created_at: '2026-02-20T00:00:00.000000Z',
        },
      },
      // Of the KID, the due date, the currency and the PDF Fiken tells nothing.
      { ...of('fiken'), status: 'open', number: '10002', amount_due: (bare?.gross ?? 0) / 100, due_date: null },
      {
        ...of('fiken'),
        ...{ type: 'invoice', number: '10001', kid: plain?.kid, amount_due: ((plain?.gross ?? 0) - 100) / 100 },
        ...{ due_date: '2026-02-15', issue_date: '2026-02-01', created_at: '2026-02-01T00:00:00.000000Z' },
      },
    ]);
    const replies: { status: number; text: string }[] = [];
    for (const id of ids) {
      const reply = await caller.call(`/invoices/${id}/pdf`);
      replies.push({ status: reply.status, text: await reply.text() });
    }
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200, 404, 200]);
    const named = [note.id, paid?.id, open?.id, `kreditnota_2026_${taken.creditNoteNumber}`, '', 'faktura_2026_10001'];
    for (const [index, name] of named.entries()) expect(replies[index]?.text).toContain(name);
    await over.app.close();
    await over.superuser.end();
    await fixture.close();
  });
});
