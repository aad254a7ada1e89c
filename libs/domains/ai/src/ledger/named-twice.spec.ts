import { saveAiCustomer } from '@test/ai-factories';
import { type LedgerFixture, createLedgerFixture, LEDGER_NAMES, request, usage } from '@test/ledger.fixture';

interface Row {
  place: number;
  outcome: string;
  uncovered: string;
  late: boolean;
}

/** Calls the SQL functions directly: the service retries a failed batch item by item, which would hide a fault here. */
describe.each(LEDGER_NAMES)('A call named twice in one batch, %s', (name) => {
  const one = name === 'per customer';
  let fixture: LedgerFixture;
  beforeAll(async () => (fixture = await createLedgerFixture({}, name)));
  afterAll(() => fixture.close());
  beforeEach(() => fixture.setTime('2026-11-15T12:00:00Z'));

  const reserved = async () => {
    const customerId = await saveAiCustomer(fixture.superuser, { model: fixture.model, month: '2026-11', included: 1 });
    const reservation = request(customerId);
    await fixture.ledger().reserve(reservation);
    return { customerId, reservationId: reservation.reservationId };
  };
  const settleTwice = async (customerId: string, id: string, output: number) => {
    const { rows } = await fixture.superuser.query<Row>(
      `select * from ${one ? 'app.ai_settle_for($1,' : 'app.ai_settle(array[$1::uuid],'}
         array[row(1, $2, 0, 0, 0, 0, $3, 'a', false, null, null)::app.ai_settlement,
               row(1, $2, 0, 0, 0, 0, $3, 'b', false, null, null)::app.ai_settlement],
         'Europe/Oslo', 'infinity', 'anthropic')`,
      [customerId, id, output],
    );
    return rows.sort((a, b) => a.place - b.place);
  };
  const charged = async (customerId: string) => {
    const { included, reserved, month_usage } = await fixture.account(customerId);
    return [included, reserved, month_usage].map(Number);
  };

  it('is charged once, and answered twice', async () => {
    const { customerId, reservationId } = await reserved();
    expect(await settleTwice(customerId, reservationId, 30)).toMatchObject(
      [1, 2].map((place) => ({ place, outcome: 'settled', uncovered: '0.050000000000', late: false })),
    );
    expect(await charged(customerId)).toEqual([0.9, 0, 0.1]);
    expect(await fixture.problems(customerId)).toEqual([]);
  });

  it('is charged once also after an unknown outcome', async () => {
    const { customerId, reservationId } = await reserved();
    await fixture.setTime('2026-11-15T13:00:00Z');
    await fixture.superuser.query('select app.ai_resolve_abandoned($1)', [customerId]);
    expect(await settleTwice(customerId, reservationId, 30)).toMatchObject(
      [1, 2].map((place) => ({ place, outcome: 'settled', uncovered: '0.050000000000', late: true })),
    );
    expect(await charged(customerId)).toEqual([0.9, 0, 0.1]);
    expect(await fixture.problems(customerId)).toEqual([]);
  });

  it('is refused twice, if another call has taken its Idempotency-Key since', async () => {
    const customerId = await saveAiCustomer(fixture.superuser, { model: fixture.model, month: '2026-11', included: 1 });
    const key = { hash: Buffer.from('a'), fingerprint: Buffer.from('b') };
    const [given, taking] = [request(customerId, { key }), request(customerId, { key })];
    await fixture.ledger().reserve(given);
    await fixture.setTime('2026-11-15T13:00:00Z');
    await fixture.superuser.query('select app.ai_resolve_abandoned($1)', [customerId]);
    expect(await fixture.ledger().reserve(taking)).toMatchObject({ outcome: 'reserved' });
    expect(await settleTwice(customerId, given.reservationId, 10)).toMatchObject(
      [1, 2].map((place) => ({ place, outcome: 'key_taken', charged: '0', late: true })),
    );
    expect(await charged(customerId)).toEqual([1, 0.1, 0]);
  });

  it('is released once', async () => {
    const { customerId, reservationId } = await reserved();
    const other = request(customerId);
    await fixture.ledger().reserve(other);
    const { rows } = await fixture.superuser.query<Row>(
      `select * from ${one ? 'app.ai_release_for($1,' : 'app.ai_release(array[$1::uuid],'}
         array[row(1, $2, null, 'released', 'a')::app.ai_release_request, row(1, $2, null, 'released', 'b')::app.ai_release_request])`,
      [customerId, reservationId],
    );
    expect(rows.map(({ outcome }) => outcome)).toEqual(['released', 'released']);
    expect(await charged(customerId)).toEqual([1, 0.1, 0]);
    expect(await fixture.problems(customerId)).toEqual([]);
  });

  it('returns the uncovered cost at every settlement: a reply may have been lost', async () => {
    const { customerId, reservationId } = await reserved();
    const settle = () =>
      fixture.ledger().settle({ customerId, reservationId, usage: usage({ output: 30 }), upstreamId: null });
    const result = { outcome: 'settled', charged: '0.100000000000', uncovered: '0.050000000000', late: false };
    expect([await settle(), await settle()]).toEqual(Array(2).fill({ ...result, remaining: '0.900000000000' }));
  });
});
