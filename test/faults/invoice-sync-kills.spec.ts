import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type InvoiceRoom, openInvoiceRoom } from '@test/invoice-room';
import { freePort } from '@test/free-port';
import { until } from '@test/until';

const WORKER = join(process.cwd(), 'dist', 'apps', 'worker', 'src', 'main.js');
const INVOICES = 10_000;

describe('A sync of 10,000 invoices', () => {
  let room: InvoiceRoom;
  beforeAll(async () => (room = await openInvoiceRoom()));
  afterAll(() => room.close());

  /** The compiled worker in a process of its own. Others may take its syncs and jobs over a second after its death. */
  async function startWorker() {
    const child = fork(WORKER, [], {
      env: {
        PATH: process.env.PATH,
        NODE_ENV: 'test',
        LOG_LEVEL: 'silent',
        DATABASE_URL: room.database.url,
        SANDBOX_URL: room.sandbox.url,
        INTERNAL_PORT: String(await freePort()),
        INVOICE_SYNC_LEASE_SECONDS: '1',
      },
      execArgv: [],
    });
    const exited = once(child, 'exit');
    return {
      kill: async () => {
        child.kill('SIGKILL');
        await exited;
        // The dead worker's holds on the job and on the account end by themselves; here nobody waits for that, and a
        // worker that is quicker to start than they are to end would find nothing to do.
        await room.superuser.query('update scheduled_job set locked_until = null, due_at = now()');
        await room.superuser.query('update invoice_sync set locked_until = null');
      },
    };
  }

  it.each(['stripe', 'fiken'] as const)(
    'from %s survives three workers killed in the middle: complete, none twice',
    async (source) => {
      const control = room.sandbox[source];
      if (source === 'stripe')
        room.sandbox.stripe.store.addInvoices({ customer: 'cus_big', count: INVOICES, everySeconds: 60 });
      else room.sandbox.fiken.store.company('demo').addInvoices({ customerId: 77, count: INVOICES, everyDays: 0 });
      const customer = await room.customer(source, source === 'stripe' ? 'cus_big' : '77');
      const stored = async () => {
        const query =
          'select count(*)::int as all, count(distinct source_id)::int as different from invoice where customer_id = $1';
        const { rows } = await room.superuser.query<{ all: number; different: number }>(query, [customer]);
        return rows[0] ?? { all: 0, different: 0 };
      };
      const before = control.total;
      for (const pages of [20, 45, 70]) {
        const worker = await startWorker();
        // Let through up to here, then hold: the worker dies waiting for a page.
        await control.received(before + pages);
        const gate = control.hold();
        await gate.holding(1);
        await worker.kill();
        gate.open();
        const { all } = await stored();
        expect(all).toBeGreaterThan(0);
        expect(all).toBeLessThan(INVOICES);
      }
      const worker = await startWorker();
      await until(async () => (await room.accounts.report(customer))[0]?.succeededAt instanceof Date);
      await worker.kill();
      expect(await stored()).toEqual({ all: INVOICES, different: INVOICES });
      // No page was read again but those in flight when a worker died.
      expect(control.total - before).toBeLessThanOrEqual(INVOICES / 100 + 3 * 2 + 2);
    },
    120_000,
  );
});
