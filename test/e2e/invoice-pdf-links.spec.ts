import { EventEmitter } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Sandbox, startSandbox } from '../../apps/sandbox/src/sandbox';
import { createCaller, startApi, type TestApi } from '@test/api';
import { expectProblem } from '@test/expect-problem';
import { saveFakeBillingAccount, saveFakeInvoice } from '@test/factories/invoice.factory';

describe('The PDF link of a Stripe invoice', () => {
  let api: TestApi;
  let sandbox: Sandbox;
  let inside: Server;
  let asked: string[];
  beforeAll(async () => {
    // A server that an attacker could only reach through the service.
    inside = createServer(({ url = '' }, reply) => {
      asked.push(url);
      reply.setHeader('content-type', 'application/pdf').end('%PDF-inside');
    }).listen(0, '127.0.0.1');
    sandbox = await startSandbox();
    api = await startApi({ SANDBOX_URL: sandbox.url, BILLING_TIMEOUT_MS: '5000' });
  });
  afterAll(async () => {
    await api.stop();
    await sandbox.close();
    inside.close();
  });
  beforeEach(() => {
    asked = [];
    sandbox.reset();
  });

  const insideAddress = () => `http://127.0.0.1:${(inside.address() as AddressInfo).port}/metrics`;
  async function pdfWithLink(link: string | undefined) {
    const caller = await createCaller(api);
    const { store } = sandbox.stripe;
    const [invoice] = store.addInvoices({ customer: caller.customer.id, count: 1, statuses: ['open'] });
    const sourceId = invoice?.id ?? '';
    await saveFakeBillingAccount(api.superuser, caller.customer.id, 'stripe', caller.customer.id);
    if (link !== undefined) store.corrupt(sourceId, { invoice_pdf: link });
    const { id } = await saveFakeInvoice(api.superuser, caller.customer.id, {
      source: 'stripe',
      sourceId,
      pdfReference: sourceId,
    });
    return () => caller.call(`/invoices/${id}/pdf`);
  }

  it('is not followed to another host', async () => {
    const fetchPdf = await pdfWithLink(insideAddress());
    await expectProblem(await fetchPdf(), 503, 'service_unavailable');
    expect(asked).toEqual([]);
  });

  it.each(['http://pay.stripe.com/x', 'https://stripe.com.evil.example/x', 'file:///etc/passwd', 'not a link'])(
    'is not followed to %s',
    async (link) => {
      const fetchPdf = await pdfWithLink(link);
      await expectProblem(await fetchPdf(), 503, 'service_unavailable');
    },
  );

  it('that is followed leaves room for listeners of the reply: Node takes more than ten for a leak', async () => {
    const fetchPdf = await pdfWithLink(undefined);
    let most = 0;
    api.app.getHttpServer().prependOnceListener('request', (_: IncomingMessage, reply: ServerResponse) => {
      const once = reply.on.bind(reply);
      reply.on = (...listener) => {
        once(...listener);
        most = Math.max(most, reply.listenerCount('close'));
        return reply;
      };
    });
    expect((await fetchPdf()).status).toBe(200);
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThan(EventEmitter.defaultMaxListeners);
  });

  it('is not followed by a redirect to another host, and is by one to its own', async () => {
    const fetchPdf = await pdfWithLink(undefined);
    const redirect = (location: string) =>
      // The first request is for the invoice, the second for its link.
      sandbox.stripe.script({}, { reply: { status: 302, headers: { location }, body: '' } });
    redirect(insideAddress());
    await expectProblem(await fetchPdf(), 503, 'service_unavailable');
    expect(asked).toEqual([]);
    const plain = await fetchPdf();
    expect((await plain.text()).slice(0, 5)).toBe('%PDF-');
    const path = sandbox.stripe.requests.at(-1)?.url ?? '';
    redirect(path);
    const redirected = await fetchPdf();
    expect(redirected.status).toBe(200);
    expect((await redirected.text()).slice(0, 5)).toBe('%PDF-');
  });

  it('that leads to a page, not to a PDF, gives no PDF', async () => {
    const fetchPdf = await pdfWithLink(undefined);
    const page = { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>Log in</html>' };
    sandbox.stripe.script({}, { reply: page }, {}, { reply: page });
    await expectProblem(await fetchPdf(), 503, 'service_unavailable');
  });
});
