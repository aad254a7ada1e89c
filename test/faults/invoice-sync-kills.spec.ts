import { setTimeout as sleep } from 'node:timers/promises';
import { faker } from '@test/faker';
import { type InvoiceFixture, createInvoiceFixture } from '@test/invoice.fixture';
import { until } from '@test/until';
import { startWorkerProcess, type WorkerProcess } from '@test/worker-process';

/** `npm run accept:sync-kills` runs more of both. */
const KILLS = Number(process.env.ACCEPT_KILLS ?? 1);
const INVOICES = 2_000 + 1_000 * KILLS;
const PAGES = INVOICES / 100;
/** Another worker continues a dead worker's account within a minute. */
const WITHIN_MS = 90_000;

jest.setTimeout((KILLS + 1) * WITHIN_MS);

describe('A sync whose worker is killed', () => {
  let fixture: InvoiceFixture;
  let worker: WorkerProcess | undefined;
  beforeEach(async () => (fixture = await createInvoiceFixture()));
  afterEach(async () => {
    await worker?.stop('SIGKILL');
    await fixture.close();
  });

  const start = async () =>
    (worker = await startWorkerProcess({ DATABASE_URL: fixture.database.url, SANDBOX_URL: fixture.sandbox.url }));
  const succeeded = async (customer: string) => (await fixture.report(customer))[0]?.succeededAt instanceof Date;

  async function arrange(source: 'stripe' | 'fiken') {
    if (source === 'stripe')
      fixture.sandbox.stripe.store.addInvoices({ customer: 'cus_big', count: INVOICES, everySeconds: 60 });
    else fixture.sandbox.fiken.store.company('demo').addInvoices({ customerId: 77, count: INVOICES, everyDays: 0 });
    return fixture.customer(source, source === 'stripe' ? 'cus_big' : '77');
  }
  const stored = async (customer: string) => {
    const query =
      'select count(*)::int as all, count(distinct source_id)::int as different from invoice where customer_id = $1';
    const { rows } = await fixture.superuser.query<{ all: number; different: number }>(query, [customer]);
    return rows[0] ?? { all: 0, different: 0 };
  };

  /** Kills the worker while the source keeps it waiting for a page. @returns when. */
  async function killInFlight(source: 'stripe' | 'fiken') {
    const gate = fixture.sandbox[source].hold();
    await gate.holding(1);
    const killed = performance.now();
    await worker?.stop('SIGKILL');
    gate.open();
    return killed;
  }
  /** Kills the worker wherever it is: it asks, reads, stores, or has just moved its checkpoint. @returns when. */
  async function killAnywhere() {
    await sleep(faker.number.float({ min: 0, max: 40 }));
    const killed = performance.now();
    await worker?.stop('SIGKILL');
    return killed;
  }

  const CASES = [
    { source: 'stripe', where: 'in flight', atFullSizeOnly: false },
    { source: 'stripe', where: 'anywhere', atFullSizeOnly: true },
    { source: 'fiken', where: 'in flight', atFullSizeOnly: true },
    { source: 'fiken', where: 'anywhere', atFullSizeOnly: false },
  ] as const;

  it.each(CASES.filter(({ atFullSizeOnly }) => KILLS > 1 || !atFullSizeOnly))(
    'from $source, $where, goes on within a minute, locks untouched: complete, none twice, a page read again for each kill',
    async ({ source, where }) => {
      const control = fixture.sandbox[source];
      // A request of a dead worker's lane and one of the next would be two at once.
      fixture.sandbox.fiken.oneAtATime = true;
      const customer = await arrange(source);
      const before = control.total;
      const places = faker.helpers
        .uniqueArray(() => faker.number.int({ min: 1, max: PAGES - 12 }), KILLS)
        .sort((a, b) => a - b);
      let longest = 0;
      await start();
      for (const [kill, place] of places.entries()) {
        // Each killed run had requested one page without storing it.
        await control.received(before + place + kill);
        const killed = where === 'in flight' ? await killInFlight(source) : await killAnywhere();
        const seen = control.total;
        await start();
        await control.received(seen + 1);
        longest = Math.max(longest, performance.now() - killed);
      }
      await until(() => succeeded(customer));
      if (KILLS > 1)
        console.log(`${source}, ${where}: ${KILLS} kills, gone on within ${(longest / 1000).toFixed(1)} s at most`);
      expect(longest).toBeLessThan(60_000);
      expect(await stored(customer)).toEqual({ all: INVOICES, different: INVOICES });
      expect(fixture.sandbox.fiken.refused).toBe(0);
      expect(control.total - before).toBeLessThanOrEqual(PAGES + KILLS + 2);
    },
  );

  it('by SIGTERM ends the request under way, exits with 0 in time and leaves nothing to wait for', async () => {
    const customer = await arrange('stripe');
    await start();
    await fixture.sandbox.stripe.received(3);
    const gate = fixture.sandbox.stripe.hold();
    await gate.holding(1);
    const asked = performance.now();
    expect(await worker?.stop('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(performance.now() - asked).toBeLessThan(5_000);
    expect((await fixture.report(customer))[0]).toMatchObject({ runId: null, failures: 0 });
    const { rows } = await fixture.superuser.query(`select name from pgboss.job where state = 'active'`);
    expect(rows).toEqual([]);
    const seen = fixture.sandbox.stripe.total;
    gate.open();
    await start();
    // At once, without waiting for a lease to end.
    const restarted = performance.now();
    await fixture.sandbox.stripe.received(seen + 1);
    expect(performance.now() - restarted).toBeLessThan(10_000);
  });
});
