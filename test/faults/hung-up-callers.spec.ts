import { startSandbox } from '../../apps/sandbox/src/sandbox';
import { enableAi, saveModelPrice } from '@test/ai-factories';
import { caller } from '@test/api';
import { type ApiProcess, startApiProcess } from '@test/api-process';
import { saveFakeCustomer } from '@test/factories/customer.factory';
import { saveFakeBillingAccount, saveFakeInvoice } from '@test/factories/invoice.factory';
import { saveFakeToken } from '@test/factories/service-token.factory';
import { sendPartialBody } from '@test/partial-body';
import { readStream } from '@test/stream-client';
import { connectAsSuperuser } from '@test/test-database';
import { useTestDatabase } from '@test/use-test-database';
import { until } from '@test/until';

type Sandbox = Awaited<ReturnType<typeof startSandbox>>;
const ROUTE = '/api/v1/ai/messages';
const FIKEN_CUSTOMER = 4711;
const MESSAGE = JSON.stringify({ messages: [{ role: 'user', content: 'Hello' }], max_tokens: 10 });

const database = useTestDatabase();

describe('a client that disconnects', () => {
  let sandbox: Sandbox;
  let api: ApiProcess;
  let token: string;
  let customerId: string;
  /** The address of an invoice's PDF. */
  let pdf: string;

  beforeEach(async () => {
    sandbox = await startSandbox();
    const superuser = await connectAsSuperuser(database);
    customerId = (await saveFakeCustomer(superuser)).id;
    token = (await saveFakeToken(superuser, customerId)).token;
    await enableAi(superuser, customerId, { model: await saveModelPrice(superuser), included: 100 });
    await saveFakeBillingAccount(superuser, customerId, 'fiken', String(FIKEN_CUSTOMER));
    const [added] = sandbox.fiken.store.company('demo').addInvoices({ customerId: FIKEN_CUSTOMER, count: 1 });
    const invoice = { source: 'fiken', sourceId: String(added?.invoiceId), pdfReference: 'x' } as const;
    pdf = `/invoices/${(await saveFakeInvoice(superuser, customerId, invoice)).id}/pdf`;
    await superuser.end();
    api = await startApiProcess({
      DATABASE_URL: database.url,
      LOG_LEVEL: 'info',
      SANDBOX_URL: sandbox.url,
      ANTHROPIC_BASE_URL: sandbox.urls.messages,
      ANTHROPIC_API_KEY: 'sk-service-wide-key',
    });
  }, 240_000);
  afterEach(async () => {
    await api.stop();
    await sandbox.close();
  });

  const metrics = async () => (await fetch(api.metricsUrl)).text();
  const metricLines = async () =>
    (await metrics()).split('\n').filter((line) => line.startsWith('http_request_duration_seconds_count'));
  const logLines = () =>
    api
      .output()
      .stdout.split('\n')
      .filter((line) => line.includes('"msg":"request"'))
      .map((line) => JSON.parse(line) as Record<string, unknown>);

  const errorLines = () =>
    api
      .output()
      .stdout.split('\n')
      .filter((line) => /"level":"error"|"stack"/.test(line));

  /** There is exactly one log line and one count for the request, even after everything has ended. */
  async function expectOneOfEach(requestId: string): Promise<void> {
    // The request was counted with this status: no reply was begun.
    expect(await metricLines()).toEqual([
      expect.stringMatching(new RegExp(`method="POST".*route="${ROUTE}".*status="499".* 1$`)) as string,
    ]);
    await api.stop();
    expect(logLines()).toEqual([
      expect.objectContaining({
        request_id: requestId,
        customer_id: customerId,
        method: 'POST',
        route: ROUTE,
        status: 499,
      }),
    ]);
  }

  it('in the middle of its body leaves one line and one metric', async () => {
    const held = await sendPartialBody(`${api.origin}${ROUTE}`, token, MESSAGE, ['X-Request-Id: mid-body']);
    await until(async () => /^request_body_bytes [1-9]/m.test(await metrics()));
    held.hangUp();
    await until(async () => (await metricLines()).length > 0);
    expect(await metrics()).toMatch(/^request_body_bytes 0$/m);
    await expectOneOfEach('mid-body');
  }, 240_000);

  it('while its answer is awaited leaves one line and one metric', async () => {
    const gate = sandbox.messages.hold();
    const abort = new AbortController();
    const headers = { 'content-type': 'application/json', 'x-request-id': 'awaited' };
    const reply = caller(api.baseUrl, token)('/ai/messages', {
      method: 'POST',
      headers,
      body: MESSAGE,
      signal: abort.signal,
    });
    await sandbox.messages.received(1);
    abort.abort();
    await expect(reply).rejects.toThrow('aborted');
    await until(async () => (await metricLines()).length > 0);
    gate.open();
    // The call is finished without a client, and its body released.
    await until(async () => /^request_body_bytes 0$/m.test(await metrics()));
    await expectOneOfEach('awaited');
  }, 240_000);

  it('while the PDF of an invoice is fetched is no fault of the service', async () => {
    const gate = sandbox.fiken.hold();
    const abort = new AbortController();
    const reply = caller(api.baseUrl, token)(pdf, { signal: abort.signal });
    await sandbox.fiken.received(1);
    abort.abort();
    await expect(reply).rejects.toThrow('aborted');
    await until(async () => (await metricLines()).length > 0);
    gate.open();
    await api.stop();
    expect(logLines()).toEqual([expect.objectContaining({ route: '/api/v1/invoices/:id/pdf', status: 499 })]);
    expect(errorLines()).toEqual([]);
  }, 240_000);

  it.each(['hang-up', 'cut', 'error'] as const)(
    'or a stream that ends early (%s) is no error with a stack',
    async (kind) => {
      const plan = { kind, requestId: 'early', outputTokens: 6, pauseMs: 50 };
      await readStream(api.baseUrl, token, plan);
      await until(async () => (await metricLines()).length > 0);
      await api.stop();
      const { stdout } = api.output();
      expect(logLines()).toEqual([expect.objectContaining({ request_id: 'early' })]);
      const broken = stdout.split('\n').filter((line) => line.includes('stream broke off'));
      expect(broken.map((line) => JSON.parse(line) as unknown)).toEqual(
        kind === 'hang-up'
          ? []
          : [
              expect.objectContaining({
                level: 'warn',
                request_id: 'early',
                code: 'ai_upstream_failed',
                reason: expect.any(String) as string,
              }),
            ],
      );
      expect(errorLines()).toEqual([]);
    },
    240_000,
  );
});
