import { randomUUID } from 'node:crypto';
import { type InvoiceFixture, createInvoiceFixture } from '@test/invoice.fixture';
import { until } from '@test/until';
import { startWorkerProcess, type WorkerProcess } from '@test/worker-process';

/** Half of them at each source. `npm run accept:sync-scale` uses 10,000. */
const ACCOUNTS = Number(process.env.ACCEPT_ACCOUNTS ?? 60);
const LATENCY_MS = 50;
const WITHIN_MS = 15 * 60_000;

jest.setTimeout(WITHIN_MS + 120_000);

describe(`${ACCOUNTS} accounts at sources that take ${LATENCY_MS} ms to answer`, () => {
  let fixture: InvoiceFixture;
  let worker: WorkerProcess | undefined;
  beforeAll(async () => (fixture = await createInvoiceFixture()));
  afterAll(async () => {
    await worker?.stop();
    await fixture.close();
  });

  it('are all synced within a quarter of an hour, Fiken with one request at a time', async () => {
    const half = ACCOUNTS / 2;
    for (let index = 0; index < half; index++) {
      fixture.sandbox.stripe.store.addInvoices({ customer: `cus_${index}`, count: 2 });
      fixture.sandbox.fiken.store.company('demo').addInvoices({ customerId: index + 1, count: 2 });
    }
    await link('stripe', half, (index) => `cus_${index}`);
    await link('fiken', half, (index) => String(index + 1));
    fixture.sandbox.stripe.always({ delay: LATENCY_MS });
    fixture.sandbox.fiken.always({ delay: LATENCY_MS });
    fixture.sandbox.fiken.oneAtATime = true;
    worker = await startWorkerProcess({ DATABASE_URL: fixture.database.url, SANDBOX_URL: fixture.sandbox.url });
    const began = performance.now();
    const left = async (source: string) => {
      const query = 'select count(*)::int as left from invoice_sync where source = $1 and succeeded_at is null';
      return (await fixture.superuser.query<{ left: number }>(query, [source])).rows[0]?.left ?? 0;
    };
    const seconds = () => ((performance.now() - began) / 1000).toFixed(0);
    const told = async (source: string) => {
      await until(async () => (await left(source)) === 0, 250);
      if (ACCOUNTS > 1000) console.log(`${half} accounts at ${source}: ${seconds()} s`);
    };
    await Promise.all([told('stripe'), told('fiken')]);
    expect(performance.now() - began).toBeLessThan(WITHIN_MS);
    const { rows } = await fixture.superuser.query<{ stored: number; failures: number }>(
      `select stored, failures from (select count(*)::int as stored from invoice) i
       cross join (select sum(failures)::int as failures from invoice_sync) s`,
    );
    expect(rows).toEqual([{ stored: ACCOUNTS * 2, failures: 0 }]);
    const metrics = await (await fetch(`${worker.url}/metrics`)).text();
    expect(metrics).toMatch(new RegExp(`^invoice_sync_accounts{source="fiken"} ${half}$`, 'm'));
    expect(metrics).toMatch(/^invoice_sync_failing_accounts{source="stripe"} 0$/m);
    expect(metrics).toMatch(/^invoice_sync_oldest_success_seconds{source="stripe"} \d/m);
  });

  /** Creates customers with one account each, all due. */
  async function link(source: string, count: number, account: (index: number) => string): Promise<void> {
    const rows = Array.from({ length: count }, (_, index) => ({ id: randomUUID(), account: account(index) }));
    const values = JSON.stringify(rows);
    const from = `from jsonb_to_recordset($1::jsonb) as v (id uuid, account text)`;
    await fixture.superuser.query(
      `insert into customer (id, name, organization_number, customer_number, email)
       select v.id, 'A', '123456785', left(v.id::text, 20), 'a@a.example' ${from}`,
      [values],
    );
    await fixture.superuser.query(
      `insert into billing_account (customer_id, source, source_customer_id) select v.id, $2, v.account ${from}`,
      [values, source],
    );
    await fixture.superuser.query(`insert into invoice_sync (customer_id, source) select v.id, $2 ${from}`, [
      values,
      source,
    ]);
  }
});
