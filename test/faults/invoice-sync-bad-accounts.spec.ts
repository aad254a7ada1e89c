import type { DirectiveValues } from '../../apps/sandbox/src/shared/faults/directives';
import { type InvoiceFixture, createInvoiceFixture } from '@test/invoice.fixture';
import { until } from '@test/until';
import { startWorkerProcess, type WorkerProcess } from '@test/worker-process';

/** `npm run accept:bad-accounts` uses 600, which once made a worker run out of memory. */
const FLOOD_MB = Number(process.env.ACCEPT_FLOOD_MB ?? 60);
const MAX_MEMORY = 400 * 1024 * 1024;

jest.setTimeout(240_000);

/** The fault of an account, and the error that the operator sees. */
const FAULTS: [name: string, directives: DirectiveValues, reason: RegExp][] = [
  ['an endless list', { endless: true }, /repeats itself/],
  ['a page without the documents that it announces', { 'blank-page': true }, /returns none|no cursor/],
  ['a body that drips', { drip: 20 }, /took too long|stopped/],
  ['no answer', { hang: true }, /no reply|took too long/],
  ['a giant page', { flood: FLOOD_MB }, /too large|took too long/],
  ['HTML', { 'not-json': true }, /not JSON/],
  ['errors', { status: 500 }, /500|took too long/],
  ['a Retry-After of a thousand days', { status: 429, 'retry-after': 86_400_000 }, /429|took too long/],
  [
    'a Retry-After that is none',
    { reply: { status: 503, headers: { 'retry-after': '9'.repeat(400) }, body: '{}' } },
    /503|took too long/,
  ],
];

describe('Bad accounts among good ones', () => {
  let fixture: InvoiceFixture;
  let worker: WorkerProcess;
  const good: string[] = [];
  const bad = new Map<string, { source: 'stripe' | 'fiken'; account: string; reason: RegExp }>();

  beforeAll(async () => {
    fixture = await createInvoiceFixture();
    for (const source of ['stripe', 'fiken'] as const) {
      for (const [index, [, directives, reason]] of FAULTS.entries()) {
        const account = source === 'stripe' ? `cus_bad_${index}` : String(100 + index);
        addInvoices(source, account);
        fixture.sandbox[source].alwaysFor(account, directives);
        bad.set(await fixture.customer(source, account), { source, account, reason });
      }
      for (let index = 0; index < 5; index++) {
        const account = source === 'stripe' ? `cus_good_${index}` : String(1 + index);
        addInvoices(source, account);
        good.push(await fixture.customer(source, account));
      }
    }
    worker = await startWorkerProcess({
      DATABASE_URL: fixture.database.url,
      SANDBOX_URL: fixture.sandbox.url,
      BILLING_TIMEOUT_MS: '1500',
      INVOICE_SYNC_MINUTES: '1',
    });
  });
  afterAll(async () => {
    await worker.stop();
    await fixture.close();
  });

  function addInvoices(source: 'stripe' | 'fiken', account: string): void {
    if (source === 'stripe') fixture.sandbox.stripe.store.addInvoices({ customer: account, count: 120 });
    else fixture.sandbox.fiken.store.company('demo').addInvoices({ customerId: Number(account), count: 120 });
  }
  const reports = async () => new Map((await fixture.report()).map((report) => [report.customerId, report]));
  const memory = async () =>
    Number(/^process_resident_memory_bytes (\S+)$/m.exec(await (await fetch(`${worker.url}/metrics`)).text())?.[1]);

  it('do not delay the good ones, are listed with their reasons, and recover by themselves within two minutes', async () => {
    let most = 0;
    const watch = setInterval(
      () =>
        void memory().then(
          (bytes) => (most = Math.max(most, bytes)),
          () => undefined,
        ),
      250,
    );
    await until(async () => {
      const now = await reports();
      return good.every((customer) => now.get(customer)?.succeededAt);
    }, 100);
    await until(async () => {
      const now = await reports();
      return [...bad.keys()].every((customer) => (now.get(customer)?.failures ?? 0) > 0);
    }, 100);
    // The good ones are synced every minute, though the bad ones fail again and again.
    if (process.env.ACCEPT_FLOOD_MB) {
      const first = await reports();
      await until(async () => {
        const now = await reports();
        return good.every(
          (customer) => Number(now.get(customer)?.succeededAt) > Number(first.get(customer)?.succeededAt),
        );
      }, 250);
    }
    const failing = await fixture.report(undefined, true);
    expect(failing.map(({ customerId }) => customerId).sort()).toEqual([...bad.keys()].sort());
    for (const { customerId, lastError, dueAt, stored } of failing) {
      expect(lastError).toMatch(bad.get(customerId)?.reason as RegExp);
      expect(dueAt.getTime() - Date.now()).toBeLessThan(61_000);
      expect(stored).toBeLessThanOrEqual(240);
    }
    for (const { source, account } of bad.values()) fixture.sandbox[source].alwaysFor(account);
    const lifted = performance.now();
    await until(async () => (await fixture.report(undefined, true)).length === 0, 250);
    expect(performance.now() - lifted).toBeLessThan(120_000);
    clearInterval(watch);
    expect(most).toBeLessThan(MAX_MEMORY);
    if (process.env.ACCEPT_FLOOD_MB)
      console.log(
        `worker at most ${Math.round(most / 1024 / 1024)} MB, well after ${((performance.now() - lifted) / 1000).toFixed(0)} s`,
      );
    const { rows } = await fixture.superuser.query<{ count: number }>(
      'select count(*)::int as count from invoice group by customer_id order by count',
    );
    expect(rows.map(({ count }) => count)).toEqual(Array(bad.size + good.length).fill(120));
  });
});
