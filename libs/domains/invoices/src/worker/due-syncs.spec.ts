import { DueSyncsService } from '@domains/invoices';
import { setDatabaseClock } from '@test/database-clock';
import { createInvoiceFixture, type InvoiceFixture } from '@test/invoice.fixture';

const LANE = { source: 'stripe', lane: 'well' } as const;

describe('A sync that is due', () => {
  let fixture: InvoiceFixture;
  let due: DueSyncsService;
  beforeAll(async () => {
    fixture = await createInvoiceFixture();
    due = fixture.module.get(DueSyncsService);
  });
  afterAll(() => fixture.close());

  const found = async () => (await due.find(LANE)).customerIds.sort();

  it('is found until it is queued, and again when it was made due since, or has waited so long that it may be lost', async () => {
    const [queued, refused] = [await fixture.customer('stripe', 'cus_1'), await fixture.customer('stripe', 'cus_2')];
    const both = [queued, refused].sort();
    const first = await due.find(LANE);
    expect([...first.customerIds].sort()).toEqual(both);
    // The queue took one, and refused the other.
    await due.markQueued(first, [queued]);
    expect(await found()).toEqual([refused]);
    await due.markQueued(await due.find(LANE), [refused]);
    expect(await found()).toEqual([]);
    await due.markQueued(await due.find(LANE), []);
    await fixture.superuser.query('update invoice_sync set due_at = app.now() where customer_id = $1', [queued]);
    expect(await found()).toEqual([queued]);
    await setDatabaseClock(fixture.superuser, { aheadBy: '11 minutes' });
    expect(await found()).toEqual(both);
  });
});
