import { InvoiceSyncsOperatorService } from '@domains/invoices';
import { type InvoiceFixture, createInvoiceFixture } from '@test/invoice.fixture';
import { until } from '@test/until';
import { startWorkerProcess, type WorkerProcess } from '@test/worker-process';

jest.setTimeout(240_000);

describe('A sync that is asked for while one is under way', () => {
  let fixture: InvoiceFixture;
  let worker: WorkerProcess;
  beforeAll(async () => {
    fixture = await createInvoiceFixture();
    worker = await startWorkerProcess({
      DATABASE_URL: fixture.database.url,
      SANDBOX_URL: fixture.sandbox.url,
      BILLING_TIMEOUT_MS: '20000',
    });
  });
  afterAll(async () => {
    await worker.stop();
    await fixture.close();
  });

  it('runs when that one has ended', async () => {
    fixture.sandbox.stripe.store.addInvoices({ customer: 'cus_slow', count: 2 });
    fixture.sandbox.stripe.alwaysFor('cus_slow', { delay: 1500 });
    const customerId = await fixture.customer('stripe', 'cus_slow');
    const report = async () => (await fixture.report(customerId))[0];
    await until(async () => Boolean((await report())?.runId));
    const first = await report();
    const request = { customerId, source: 'stripe', full: false } as const;
    const asked = fixture.module.get(InvoiceSyncsOperatorService).requestAndWait('operator:test', request, 30_000);
    // The planner runs every two seconds: more than once during the first run.
    expect(await asked).toBe('succeeded');
    expect((await report())?.startedAt?.getTime()).toBeGreaterThan(first?.startedAt?.getTime() ?? Infinity);
  });
});
