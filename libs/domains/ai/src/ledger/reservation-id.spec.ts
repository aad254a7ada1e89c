import { saveAiCustomer } from '@test/ai-factories';
import { type LedgerFixture, createLedgerFixture, LEDGER_NAMES, request } from '@test/ledger.fixture';

describe.each(LEDGER_NAMES)("A reservation's id, %s", (name) => {
  let fixture: LedgerFixture;
  beforeAll(async () => (fixture = await createLedgerFixture({}, name)));
  afterAll(() => fixture.close());
  beforeEach(() => fixture.setTime('2026-11-15T12:00:00Z'));

  const save = () => saveAiCustomer(fixture.superuser, { model: fixture.model, month: '2026-11', included: 1 });
  const reserved = async (customerId: string) => Number((await fixture.account(customerId)).reserved);

  it("carries the database's time, and ends like the seed that it was asked for with", async () => {
    const reservation = request(await save());
    const result = await fixture.ledger().reserve(reservation);
    const { reservationId } = result as typeof result & { outcome: 'reserved' };
    const milliseconds = parseInt(reservationId.replaceAll('-', '').slice(0, 12), 16);
    // The clock of this test stands still, and yet two ids of one moment ascend: by as much as lies between them.
    expect(milliseconds - Date.parse('2026-11-15T12:00:00Z')).toBeLessThan(10_000);
    expect(milliseconds).toBeGreaterThanOrEqual(Date.parse('2026-11-15T12:00:00Z'));
    expect(reservationId[14]).toBe('7');
    expect(reservationId.slice(-17)).toBe(reservation.seed.slice(-17));
  });

  it('need not be known to release it: a reply may have been lost', async () => {
    const customerId = await save();
    const lost = request(customerId);
    await fixture.ledger().reserve(request(customerId));
    await fixture.ledger().reserve(lost);
    expect(await reserved(customerId)).toBe(0.2);
    const release = { customerId, seed: lost.seed, outcome: 'released', reason: 'reservation in doubt' } as const;
    expect(await fixture.ledger(1).release(release)).toBe('released');
    expect(await reserved(customerId)).toBe(0.1);
    // There is none in progress any more, and nobody else's is taken for it.
    expect(await fixture.ledger(1).release(release)).toBeUndefined();
    expect(await fixture.ledger(1).release({ ...release, customerId: await save() })).toBeUndefined();
    expect(await reserved(customerId)).toBe(0.1);
  });
});
