import { saveAiCustomer, type TestAiCustomer } from '@test/ai-factories';
import { connectAsSuperuser } from '@test/test-database';
import { type LedgerFixture, createLedgerFixture, LEDGER_NAMES, request, usage } from '@test/ledger.fixture';

/** A call reserves 0.1 NOK. Its reservation ends with an unknown outcome, and then the answer comes. */
describe.each(LEDGER_NAMES)('A settlement after an unknown outcome, %s', (name) => {
  let fixture: LedgerFixture;
  beforeAll(async () => (fixture = await createLedgerFixture({}, name)));
  afterAll(() => fixture.close());
  beforeEach(() => fixture.setTime('2026-11-15T12:00:00Z'));
  afterEach(async () => expect(await fixture.problems()).toEqual([]));

  const abandoned = async (ai: Partial<TestAiCustomer>) => {
    const customerId = await saveAiCustomer(fixture.superuser, { model: fixture.model, month: '2026-11', ...ai });
    const reservation = request(customerId);
    await fixture.setTime('2026-11-15T12:00:00Z');
    await fixture.ledger().reserve(reservation);
    await fixture.setTime('2026-11-15T13:00:00Z');
    await fixture.superuser.query('select app.ai_resolve_abandoned($1)', [customerId]);
    expect(await fixture.account(customerId)).toMatchObject({ reserved: '0.000000000000' });
    return { customerId, reservationId: reservation.reservationId };
  };
  const settle = (call: { customerId: string; reservationId: string }, output = 20, engine = 0) =>
    fixture.ledger(engine).settle({ ...call, usage: usage({ output }), upstreamId: 'req_late' });
  const states = async (customerId: string) =>
    (
      await fixture.superuser.query<{ state: string }>('select state from ai_reservation where customer_id = $1', [
        customerId,
      ])
    ).rows;

  it('charges the cost in a separate entry, once', async () => {
    const call = await abandoned({ included: 1 });
    expect(await settle(call)).toMatchObject({ uncovered: '0.000000000000', late: true });
    expect(await settle(call, 20, 1)).toMatchObject({ uncovered: '0.000000000000', late: true });
    expect(await fixture.account(call.customerId)).toMatchObject({
      included: '0.900000000000',
      month_usage: '0.100000000000',
    });
    expect(await states(call.customerId)).toEqual([{ state: 'settled_late' }]);
    expect((await fixture.entries(call.customerId)).filter(({ kind }) => kind === 'usage')).toHaveLength(1);
  });

  it.each([
    ['lowered', null, 0.04, '0.060000000000'],
    ['raised', 0.1, null, '0.000000000000'],
  ])(
    'charges within the monthly limit of now, which was %s since the reservation',
    async (_, before, after, uncovered) => {
      const call = await abandoned({ included: 1, monthlyLimit: before });
      const limit = (nok: number | null) =>
        fixture.superuser.query('update ai_settings set monthly_limit = $2 where customer_id = $1', [
          call.customerId,
          nok,
        ]);
      if (before !== null) {
        const other = request(call.customerId);
        await fixture.ledger().reserve(other);
        await settle({ ...call, reservationId: other.reservationId });
      }
      await limit(after);
      expect(await settle(call)).toMatchObject({ uncovered, late: true });
    },
  );

  it('charges nothing when the customer has been told so, and the verification would notice a charge', async () => {
    const call = await abandoned({ included: 1 });
    const other = request(call.customerId);
    await fixture.ledger().reserve(other);
    const told = { outcome: 'not_charged', reason: 'settlement could not be stored' } as const;
    for (const { customerId, reservationId } of [call, other, call])
      expect(await fixture.ledger().release({ customerId, reservationId, ...told })).toBe('not_charged');
    for (const reservationId of [call.reservationId, other.reservationId])
      expect(await settle({ ...call, reservationId })).toMatchObject({ outcome: 'not_charged', charged: '0' });
    expect(await fixture.account(call.customerId)).toMatchObject({
      ...{ included: '1.000000000000', reserved: '0.000000000000', month_usage: '0.000000000000' },
    });
    const charged = (id: string) =>
      fixture.superuser.query('update ai_reservation set state = $2 where id = $1', [id, 'pending']);
    await fixture.superuser.query('update ai_account set reserved = 0.1 where customer_id = $1', [call.customerId]);
    await charged(other.reservationId);
    await settle({ ...call, reservationId: other.reservationId });
    await fixture.superuser.query(
      `insert into ai_reservation (customer_id, id, state, amount, model, price_valid_from, input_tokens_bound, max_tokens, deadline, created_at)
       values ($1, $2, 'not_charged', 0.1, $3, '2020-01-01', 0, 20, app.now(), app.now())`,
      [call.customerId, other.reservationId, fixture.model],
    );
    expect(await fixture.problems()).toMatchObject([
      { problem: `call ${other.reservationId}: charged, though its customer was told that it is not` },
    ]);
    await fixture.superuser.query('delete from ai_reservation where id = $1', [other.reservationId]);
  });

  it('cannot be told as not charged once it is charged', async () => {
    const call = await abandoned({ included: 1 });
    const second = request(call.customerId);
    await fixture.ledger().reserve(second);
    await settle(call);
    await settle({ ...call, reservationId: second.reservationId });
    const ends = [call, second].map(({ customerId, reservationId }) =>
      fixture.ledger().release({ customerId, reservationId, outcome: 'not_charged', reason: 'too late' }),
    );
    expect(await Promise.all(ends)).toEqual(['settled_late', 'settled']);
  });

  it('is charged once, if many settlements arrive at the same moment', async () => {
    const call = await abandoned({ included: 1 });
    await Promise.all([0, 0, 1, 1].map((engine) => settle(call, 20, engine)));
    expect(await fixture.account(call.customerId)).toMatchObject({ included: '0.900000000000' });
  });

  it('charges the part that the credit still covers, and leaves the credit that other calls have reserved', async () => {
    const call = await abandoned({ included: 0.05, purchased: 0.1 });
    const other = request(call.customerId);
    await fixture.ledger().reserve(other);
    expect(await settle(call)).toMatchObject({ uncovered: '0.050000000000', late: true });
    expect(await fixture.account(call.customerId)).toMatchObject({
      reserved: '0.100000000000',
      month_usage: '0.050000000000',
    });
    await settle({ ...call, reservationId: other.reservationId });
    expect(await fixture.account(call.customerId)).toMatchObject({
      included: '0.000000000000',
      purchased: '0.000000000000',
    });
  });

  it('is not begun after its caller stopped waiting, also if the account was locked in between, nor is a further call', async () => {
    const call = await abandoned({ included: 1 });
    const isOne = name === 'per customer';
    // On a cluster the functions have a time-out of their own, before that moment.
    for (const made of isOne ? ['settle', 'reserve'] : [])
      await fixture.superuser.query(`alter function app.ai_${made}_for reset lock_timeout`);
    const [locker, asking] = [await connectAsSuperuser(fixture.database), await connectAsSuperuser(fixture.database)];
    await locker.query('begin');
    await locker.query('select from ai_account where customer_id = $1 for update', [call.customerId]);
    const refused = { code: '57014', message: 'the caller has stopped waiting' };
    const settled = expect(
      fixture.superuser.query(
        `select * from ${isOne ? 'app.ai_settle_for($1,' : 'app.ai_settle(array[$1::uuid],'} array[row(1, $2, 0, 0, 0, 0, 20, 'a', false, null, null)::app.ai_settlement],
           'Europe/Oslo', clock_timestamp() + interval '300 ms', 'anthropic')`,
        [call.customerId, call.reservationId],
      ),
    ).rejects.toMatchObject(refused);
    const reserved = expect(
      asking.query(
        `select * from ${isOne ? 'app.ai_reserve_for($1,' : 'app.ai_reserve(array[$1::uuid], array[1], array[1],'}
           array[row(gen_random_uuid(), 0, 'none', 20, 20, true, 'request', null, null, null)::app.ai_reservation_request],
           'Europe/Oslo', interval '1 minute', clock_timestamp() + interval '300 ms', true, null)`,
        [call.customerId],
      ),
    ).rejects.toMatchObject(refused);
    await locker.query('select pg_sleep(0.5)');
    await locker.query('rollback');
    await Promise.all([settled, reserved]);
    expect(await fixture.account(call.customerId)).toMatchObject({
      included: '1.000000000000',
      reserved: '0.000000000000',
    });
    await Promise.all([locker.end(), asking.end()]);
  });

  it('charges nothing without credit, and never more than had been reserved', async () => {
    const bare = await abandoned({ included: 0.1 });
    await fixture.superuser.query(
      `select app.ai_credit($1, '2026-11', app.now(), 'manual_adjustment', -0.1, 'test', 'operator:test', null, null)`,
      [bare.customerId],
    );
    expect(await settle(bare)).toMatchObject({ uncovered: '0.100000000000', late: true });
    expect(await settle(await abandoned({ included: 5 }), 100)).toMatchObject({
      uncovered: '0.400000000000',
      late: true,
    });
  });
});
