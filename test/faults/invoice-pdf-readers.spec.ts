import { connect, type Socket } from 'node:net';
import { type ApiProcess, startApiProcess } from '@test/api-process';
import { saveFakeCustomer } from '@test/factories/customer.factory';
import { saveFakeBillingAccount, saveFakeInvoice } from '@test/factories/invoice.factory';
import { saveFakeToken } from '@test/factories/service-token.factory';
import { type InvoiceFixture, createInvoiceFixture } from '@test/invoice.fixture';
import { until } from '@test/until';
import { startWorkerProcess, type WorkerProcess } from '@test/worker-process';

/** `npm run accept:pdf-readers` has 30. */
const READERS = Number(process.env.ACCEPT_READERS ?? 6);
const PDF_MB = 8;

jest.setTimeout(180_000);

describe('PDFs of Fiken, over two replicas and a worker', () => {
  let fixture: InvoiceFixture;
  let replicas: ApiProcess[];
  let worker: WorkerProcess;
  const stalled: Socket[] = [];

  beforeAll(async () => {
    fixture = await createInvoiceFixture();
    const settings = { DATABASE_URL: fixture.database.url, SANDBOX_URL: fixture.sandbox.url };
    replicas = [await startApiProcess(settings), await startApiProcess(settings)];
    worker = await startWorkerProcess(settings);
    fixture.sandbox.fiken.oneAtATime = true;
    fixture.sandbox.fiken.largePdf = PDF_MB * 1024 * 1024;
  });
  afterAll(async () => {
    for (const socket of stalled) socket.destroy();
    await Promise.all([...replicas, worker].map((process) => process.stop()));
    await fixture.close();
  });

  /** A customer with an invoice that has a PDF at Fiken, and a token. */
  async function arrange(contact: number) {
    const { id: customerId } = await saveFakeCustomer(fixture.superuser);
    const { token } = await saveFakeToken(fixture.superuser, customerId);
    await saveFakeBillingAccount(fixture.superuser, customerId, 'fiken', String(contact));
    const [added] = fixture.sandbox.fiken.store.company('demo').addInvoices({ customerId: contact, count: 1 });
    const { id } = await saveFakeInvoice(fixture.superuser, customerId, {
      source: 'fiken',
      sourceId: String(added?.invoiceId),
      pdfReference: 'x',
    });
    return { token, path: `/api/v1/invoices/${id}/pdf` };
  }
  /** Requests a PDF and reads only the beginning of the reply. */
  async function stall(replica: ApiProcess, { token, path }: { token: string; path: string }): Promise<void> {
    const socket = connect(Number(new URL(replica.origin).port), '127.0.0.1');
    stalled.push(socket);
    socket.on('error', () => undefined);
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`);
    await new Promise<void>((resolve) => socket.once('data', () => resolve()));
    socket.pause();
  }

  it(`are there soon for another customer while ${READERS} readers of ${PDF_MB} MB stand still`, async () => {
    for (let reader = 0; reader < READERS; reader++)
      await stall(replicas[0] as ApiProcess, await arrange(1000 + reader));
    // An invoice of typical size.
    fixture.sandbox.fiken.largePdf = 200 * 1024;
    const { token, path } = await arrange(5000);
    const began = performance.now();
    const reply = await fetch((replicas[0] as ApiProcess).origin + path, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(reply.status).toBe(200);
    expect((await reply.arrayBuffer()).byteLength).toBeGreaterThan(200 * 1024);
    const took = performance.now() - began;
    if (process.env.ACCEPT_READERS) console.log(`another customer's PDF after ${took.toFixed(0)} ms`);
    // Behind the stalled readers it would wait for 10 s.
    expect(took).toBeLessThan(process.env.ACCEPT_READERS ? 1_000 : 5_000);
    for (const socket of stalled.splice(0)) socket.destroy();
  });

  it('and syncs at the same time never make two requests at once', async () => {
    fixture.sandbox.fiken.largePdf = 0;
    fixture.sandbox.fiken.always({ delay: 20 });
    const { refused: before, total: seen } = fixture.sandbox.fiken;
    for (let contact = 7000; contact < 7010; contact++) {
      fixture.sandbox.fiken.store.company('demo').addInvoices({ customerId: contact, count: 150 });
      await fixture.customer('fiken', String(contact));
    }
    const callers = await Promise.all(Array.from({ length: 12 }, (_, index) => arrange(8000 + index)));
    // The planner of the syncs may not have begun yet.
    await until(() => fixture.sandbox.fiken.total > seen);
    const replies = await Promise.all(
      callers.map(({ token, path }, index) =>
        fetch((replicas[index % 2] as ApiProcess).origin + path, { headers: { authorization: `Bearer ${token}` } }),
      ),
    );
    expect(replies.map(({ status }) => status)).toEqual(Array(12).fill(200));
    await until(async () => (await fixture.report()).every(({ succeededAt }) => succeededAt instanceof Date), 100);
    expect(fixture.sandbox.fiken.refused - before).toBe(0);
  });
});
