import { randomBytes } from 'node:crypto';
import { saveAiCustomer } from '@test/ai-factories';
import { type LedgerFixture, createLedgerFixture, LEDGER_NAMES, request, usage } from '@test/ledger.fixture';

describe.each(LEDGER_NAMES)('Idempotency-Keys of calls, %s', (name) => {
  let fixture: LedgerFixture;
  beforeAll(async () => (fixture = await createLedgerFixture({}, name)));
  afterAll(() => fixture.close());
  beforeEach(() => fixture.setTime('2026-11-15T12:00:00Z'));

  const newKey = () => ({ hash: randomBytes(32), fingerprint: randomBytes(32) });
  const newCustomer = () =>
    saveAiCustomer(fixture.superuser, { model: fixture.model, month: '2026-11', included: 1, purchased: 1 });
  const settlement = (customerId: string, { reservationId }: { reservationId: string }, body: string) => ({
    customerId,
    reservationId,
    usage: usage({ output: 4 }),
    upstreamId: null,
    reply: { secretsKey: 'key', body: Buffer.from(body) },
  });
  const keyOf = async (customerId: string, hash: Buffer) => {
    const { rows } = await fixture.superuser.query<{ state: string; effect: string; reply: Buffer | null }>(
      'select state, effect_id as effect, reply from idempotency_key where customer_id = $1 and key_hash = $2',
      [customerId, hash],
    );
    return rows[0] && { ...rows[0], reply: rows[0].reply?.toString() ?? null };
  };

  it('are claimed by the calls that get credit, one call each, and keep their replies', async () => {
    const customerId = await newCustomer();
    const [first, second] = [newKey(), newKey()];
    const calls = [first, second, first].map((key) => request(customerId, { key }));
    const large = request(customerId, { key: newKey(), maxTokens: 1_000_000 });
    const results = await Promise.all([...calls, large].map((call) => fixture.ledger().reserve(call)));
    expect(results.map(({ outcome }) => outcome)).toEqual(['reserved', 'reserved', 'key_taken', 'exhausted']);
    expect(await keyOf(customerId, large.key!.hash)).toBeUndefined();
    const [a, b] = calls as [(typeof calls)[0], (typeof calls)[0]];
    expect(await keyOf(customerId, first.hash)).toEqual({ state: 'in_progress', effect: a.reservationId, reply: null });
    await Promise.all([
      fixture.ledger().settle(settlement(customerId, a, 'one')),
      fixture.ledger().settle(settlement(customerId, b, 'two')),
    ]);
    expect(await keyOf(customerId, first.hash)).toEqual({ state: 'done', effect: a.reservationId, reply: 'one' });
    expect(await keyOf(customerId, second.hash)).toEqual({ state: 'done', effect: b.reservationId, reply: 'two' });
    expect(await fixture.problems(customerId)).toEqual([]);
  });

  it('are free again for a further call after a release', async () => {
    const customerId = await newCustomer();
    const key = newKey();
    const [first, second] = [request(customerId, { key }), request(customerId, { key })];
    await fixture.ledger().reserve(first);
    const { reservationId } = first;
    await fixture.ledger().release({ customerId, reservationId, outcome: 'released', reason: 'refused' });
    expect(await fixture.ledger().reserve(second)).toMatchObject({ outcome: 'reserved' });
    expect(await keyOf(customerId, key.hash)).toMatchObject({ state: 'in_progress', effect: second.reservationId });
  });

  it('belong to the second call, if the first one is pending for more than a day: it is not charged', async () => {
    const customerId = await newCustomer();
    const key = newKey();
    const [first, second] = [request(customerId, { key }), request(customerId, { key })];
    await fixture.ledger().reserve(first);
    await fixture.setTime('2026-11-16T12:00:01Z');
    expect(await fixture.ledger().reserve(second)).toMatchObject({ outcome: 'reserved' });
    const settled = await Promise.all([
      fixture.ledger().settle(settlement(customerId, first, 'one')),
      fixture.ledger().settle(settlement(customerId, second, 'two')),
    ]);
    expect(settled.map(({ outcome, charged }) => [outcome, Number(charged)])).toEqual([
      ['key_taken', 0],
      ['settled', 0.02],
    ]);
    expect(await keyOf(customerId, key.hash)).toEqual({ state: 'done', effect: second.reservationId, reply: 'two' });
  });

  it("are the first call's again when its answer comes late and no other has claimed them: a retry gets the reply", async () => {
    const customerId = await newCustomer();
    const key = newKey();
    const [given, retry] = [request(customerId, { key }), request(customerId, { key })];
    await fixture.ledger().reserve(given);
    const { reservationId } = given;
    await fixture.ledger().release({ customerId, reservationId, outcome: 'outcome_unknown', reason: 'cut off' });
    expect(await fixture.ledger().settle(settlement(customerId, given, 'late'))).toMatchObject({
      ...{ outcome: 'settled', late: true, charged: '0.020000000000' },
    });
    expect(await keyOf(customerId, key.hash)).toEqual({ state: 'done', effect: reservationId, reply: 'late' });
    expect(await fixture.ledger().reserve(retry)).toEqual({ outcome: 'key_taken' });
    expect(await fixture.problems(customerId)).toEqual([]);
  });

  it('that are gone leave their calls uncharged, also the pending ones, and nobody gets an error', async () => {
    const customerId = await newCustomer();
    const call = request(customerId, { key: newKey() });
    await fixture.ledger().reserve(call);
    await fixture.superuser.query('delete from idempotency_key where customer_id = $1', [customerId]);
    expect(await fixture.ledger().settle(settlement(customerId, call, 'one'))).toMatchObject({ outcome: 'key_taken' });
    expect(await fixture.problems(customerId)).toEqual([]);
  });
});
