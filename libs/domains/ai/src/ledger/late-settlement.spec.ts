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

  it('is charged once, however many settlements arrive at the same moment', async () => {
    const call = await abandoned({ included: 1 });
    await Promise.all([0, 0, 1, 1].map((engine) => settle(call, 20, engine)));
    expect(await fixture.account(call.customerId)).toMatchObject({ included: '0.900000000000' });
  });

  it('charges what the credit still covers, and leaves what other calls have reserved', async () => {
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

  it('is not begun after its caller stopped waiting, also if the account was locked in between', async () => {
    const call = await abandoned({ included: 1 });
    // On a cluster the function has a time-out of its own, before that moment.
    if (name === 'per customer') await fixture.superuser.query('alter function app.ai_settle_for reset lock_timeout');
    const locker = await connectAsSuperuser(fixture.database);
    await locker.query('begin');
    await locker.query('select from ai_account where customer_id = $1 for update', [call.customerId]);
    const settled = expect(
      fixture.superuser.query(
        `select * from ${name === 'per customer' ? 'app.ai_settle_for($1,' : 'app.ai_settle(array[$1::uuid],'} array[row(1, $2, 0, 0, 0, 0, 20, 'a', false, null, null)::app.ai_settlement],
           'Europe/Oslo', clock_timestamp() + interval '300 ms', 'anthropic')`,
        [call.customerId, call.reservationId],
      ),
    ).rejects.toMatchObject({ code: '57014', message: 'the caller has stopped waiting' });
    await locker.query('select pg_sleep(0.5)');
    await locker.query('rollback');
    await settled;
    expect(await fixture.account(call.customerId)).toMatchObject({ included: '1.000000000000' });
    await locker.end();
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
