import { SyncRequestsOperatorService } from '@domains/invoices';
import { type InvoiceRoom, openInvoiceRoom } from '@test/invoice-room';
import { until } from '@test/until';
import { startWorkerProcess, type WorkerProcess } from '@test/worker-process';

jest.setTimeout(90_000);

describe('A sync that is asked for while one is under way', () => {
  let room: InvoiceRoom;
  let worker: WorkerProcess;
  beforeAll(async () => {
    room = await openInvoiceRoom();
    worker = await startWorkerProcess({
      DATABASE_URL: room.database.url,
      SANDBOX_URL: room.sandbox.url,
      BILLING_TIMEOUT_MS: '20000',
    });
  });
  afterAll(async () => {
    await worker.stop();
    await room.close();
  });

  it('runs when that one has ended', async () => {
    room.sandbox.stripe.store.addInvoices({ customer: 'cus_slow', count: 2 });
    room.sandbox.stripe.alwaysFor('cus_slow', { delay: 1500 });
    const customerId = await room.customer('stripe', 'cus_slow');
    await until(async () => Boolean((await room.accounts.report(customerId))[0]?.runId));
    const request = { customerId, source: 'stripe', full: false } as const;
    const asked = room.module.get(SyncRequestsOperatorService).requestAndWait('operator:test', request, 30_000);
    // The planner comes by every two seconds: more than once while the first run is under way.
    expect(await asked).toBe('succeeded');
  });
});
