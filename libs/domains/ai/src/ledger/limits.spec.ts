import { saveAiCustomer, saveModelPrice, type TestAiCustomer } from '@test/ai-factories';
import { type LedgerFixture, createLedgerFixture, LEDGER_NAMES, request, usage } from '@test/ledger.fixture';
import { waitForLocks } from '@test/locks';
import { connectAsSuperuser } from '@test/test-database';

/** Every call reserves and costs 0.1 NOK. */
describe.each(LEDGER_NAMES)('The limits of a month, %s', (name) => {
  let fixture: LedgerFixture;
  beforeAll(async () => (fixture = await createLedgerFixture({}, name)));
  afterAll(() => fixture.close());
  beforeEach(() => fixture.setTime('2026-11-15T12:00:00Z'));

  const save = async (ai: Partial<TestAiCustomer>, totalLimit?: number) => {
    const id = await saveAiCustomer(fixture.superuser, { model: fixture.model, month: '2026-11', ...ai });
    if (totalLimit !== undefined)
      await fixture.superuser.query('update ai_settings set total_limit = $2 where customer_id = $1', [id, totalLimit]);
    return id;
  };
  const call = async (customerId: string) => {
    const reservation = request(customerId);
    const { outcome } = await fixture.ledger().reserve(reservation);
    if (outcome === 'reserved') await settle(reservation);
    return outcome;
  };
  const settle = ({ customerId, reservationId }: { customerId: string; reservationId: string }) =>
    fixture.ledger().settle({ customerId, reservationId, usage: usage({ output: 20 }), upstreamId: null });
  const balances = async (customerId: string) => {
    const { included, purchased, month_usage, month_included_usage } = await fixture.account(customerId);
    return [included, purchased, month_usage, month_included_usage].map(Number);
  };

  it('are those that were set while a batch waited for the account', async () => {
    const customerId = await save({ included: 5 });
    // On a cluster the function has a time-out of its own.
    if (name === 'per customer') await fixture.superuser.query('alter function app.ai_reserve_for reset lock_timeout');
    const operator = await connectAsSuperuser(fixture.database);
    await operator.query('begin');
    await operator.query('select from ai_account where customer_id = $1 for update', [customerId]);
    await operator.query('update ai_settings set total_limit = 0 where customer_id = $1', [customerId]);
    const asked = await connectAsSuperuser(fixture.database);
    const reserved = asked.query<{ outcome: string }>(
      `select outcome from ${name === 'per customer' ? 'app.ai_reserve_for($1,' : 'app.ai_reserve(array[$1::uuid], array[1], array[1],'}
         array[row(gen_random_uuid(), 0, 'none', 20, 20, true, 'request', null, null, null)::app.ai_reservation_request],
         'Europe/Oslo', interval '1 minute', clock_timestamp() + interval '1 minute', true, gen_random_uuid())`,
      [customerId],
    );
    await waitForLocks(fixture.superuser, 1);
    await operator.query('commit');
    expect((await reserved).rows).toEqual([{ outcome: 'over_limit' }]);
    await Promise.all([operator.end(), asked.end()]);
    expect(await fixture.problems(customerId)).toEqual([]);
  });

  it('on included credit does not keep purchased credit from being spent', async () => {
    const customerId = await save({ included: 5, purchased: 0.3, monthlyLimit: 0.2 });
    const outcomes = [];
    for (let count = 0; count < 6; count++) outcomes.push(await call(customerId));
    expect(outcomes).toEqual([...Array<string>(5).fill('reserved'), 'exhausted']);
    expect(await balances(customerId)).toEqual([4.8, 0, 0.5, 0.2]);
    expect(await fixture.problems(customerId)).toEqual([]);
  });

  it('on included credit counts calls in progress, and starts over with the month', async () => {
    const customerId = await save({ included: 5, monthlyLimit: 0.25 });
    const wishes = Array.from({ length: 5 }, () => request(customerId));
    const outcomes = await Promise.all(wishes.map((reservation, index) => fixture.ledger(index).reserve(reservation)));
    expect(outcomes.filter(({ outcome }) => outcome === 'reserved')).toHaveLength(2);
    expect(outcomes.filter(({ outcome }) => outcome === 'in_progress')).toHaveLength(3);
    for (const [index, reservation] of wishes.entries())
      if (outcomes[index]!.outcome === 'reserved') await settle(reservation);
    expect(await call(customerId)).toBe('exhausted');
    await fixture.setTime('2026-12-01T12:00:00Z');
    expect(await call(customerId)).toBe('reserved');
    expect(await balances(customerId)).toEqual([4.9, 0, 0.1, 0.1]);
    expect(await fixture.problems(customerId)).toEqual([]);
  });

  it('on all credit keeps purchased credit from being spent, too', async () => {
    const customerId = await save({ included: 0.1, purchased: 5 }, 0.35);
    const outcomes = [];
    for (let count = 0; count < 4; count++) outcomes.push(await call(customerId));
    expect(outcomes).toEqual(['reserved', 'reserved', 'reserved', 'over_limit']);
    expect(await balances(customerId)).toEqual([0, 4.8, 0.3, 0.1]);
    // The error must not advise to buy credit that the limit would not allow to spend.
    expect((await fixture.ledger().reserve(request(customerId, { maxTokens: 2000 }))).outcome).toBe('over_limit');
  });

  it.each([0, 1])(
    'tell of four fifths at the call that reaches them exactly, settled with those of %i other customers',
    async (count) => {
      const customerId = await save({ included: 0.3, purchased: 0.2 });
      const customers = [customerId];
      for (let other = 0; other < count; other++) customers.push(await save({ included: 5 }));
      const told: string[][] = [];
      for (let calls = 0; calls < 5; calls++) {
        const reservations = customers.map((id) => request(id));
        for (const reservation of reservations) await fixture.ledger().reserve(reservation);
        await Promise.all(reservations.map((reservation) => settle(reservation)));
        const { rows } = await fixture.superuser.query<{ usage: string }>(
          `select trim_scale((record->>'currentMonthUsage')::numeric)::text as usage from event
           where customer_id = any ($1) and type = 'ai.credit.low'`,
          [customers],
        );
        told.push(rows.map(({ usage: spent }) => spent));
      }
      expect(told).toEqual([[], [], [], ['0.4'], ['0.4']]);
    },
  );

  it.each([
    ['in_progress: the limit leaves all that it needs', { included: 5 }, 0.2, {}],
    ['in_progress: the credit would cover it to the last decimal', { included: 0.2 }, undefined, {}],
    ['over_limit: the limit leaves a millionth less', { included: 5 }, 0.199999, {}],
    ['exhausted: the credit is a millionth short', { included: 0.199999 }, undefined, {}],
    [
      'too_large: a closer bound of its input may do',
      { included: 0.3 },
      undefined,
      { inputTokens: 1, mayShorten: false },
    ],
    [
      'in_progress: no bound of its input would do',
      { included: 0.299999 },
      undefined,
      { inputTokens: 1, mayShorten: false },
    ],
  ])('refuse a call of 0.2 NOK beside another of 0.1 as %s', async (refusal, ai, totalLimit, bound) => {
    const customerId = await save(ai, totalLimit);
    expect((await fixture.ledger().reserve(request(customerId))).outcome).toBe('reserved');
    const { outcome } = await fixture.ledger().reserve(request(customerId, { maxTokens: 40, ...bound }));
    expect(outcome).toBe(refusal.split(':')[0]);
  });

  it('refuse no call that costs nothing, also without any credit', async () => {
    const free = await saveModelPrice(fixture.superuser, {
      input: '0',
      write5m: '0',
      write1h: '0',
      read: '0',
      output: '0',
    });
    const customerId = await save({ model: free }, 0);
    expect(await call(customerId)).toBe('reserved');
    expect(await fixture.problems(customerId)).toEqual([]);
  });

  it('lowered while a call runs do not leave the call uncharged', async () => {
    const customerId = await save({ included: 5, monthlyLimit: 1 });
    const reservation = request(customerId);
    await fixture.ledger().reserve(reservation);
    await fixture.superuser.query('update ai_settings set monthly_limit = 0, total_limit = 0 where customer_id = $1', [
      customerId,
    ]);
    expect(await settle(reservation)).toMatchObject({ uncovered: '0.000000000000', late: false });
    expect(await balances(customerId)).toEqual([4.9, 0, 0.1, 0.1]);
    expect(await call(customerId)).toBe('over_limit');
    expect(await fixture.problems(customerId)).toEqual([]);
  });

  it('keep purchased credit that calls in progress need when the operator deducts some', async () => {
    const customerId = await save({ included: 5, purchased: 0.5, monthlyLimit: 0 });
    const reservation = request(customerId);
    await fixture.ledger().reserve(reservation);
    const take = async (amount: number) =>
      (
        await fixture.superuser.query<{ applied: boolean }>(
          `select app.ai_credit($1, '2026-11', app.now(), 'manual_adjustment', $2, 'test', 'operator:test', null, null) as applied`,
          [customerId, -amount],
        )
      ).rows[0]!.applied;
    // The 5 NOK above the limit can be deducted; the reserved credit cannot.
    expect(await take(5.5)).toBe(false);
    expect(await take(5.4)).toBe(true);
    expect(await balances(customerId)).toEqual([0, 0.1, 0, 0]);
    await settle(reservation);
    expect(await balances(customerId)).toEqual([0, 0, 0.1, 0]);
    expect(await fixture.problems(customerId)).toEqual([]);
  });

  it('lowered below what calls in progress need let the operator deduct nothing, and no credit changes its kind', async () => {
    const customerId = await save({ included: 1, purchased: 0.05, monthlyLimit: 1 });
    for (let count = 0; count < 3; count++) await fixture.ledger().reserve(request(customerId));
    await fixture.superuser.query('update ai_settings set monthly_limit = 0.2 where customer_id = $1', [customerId]);
    const { rows } = await fixture.superuser.query(
      `select app.ai_credit($1, '2026-11', app.now(), 'manual_adjustment', -0.1, 'test', 'operator:test', null, null) as applied`,
      [customerId],
    );
    expect(rows).toEqual([{ applied: false }]);
    expect(await balances(customerId)).toEqual([1, 0.05, 0, 0]);
    expect(await fixture.problems(customerId)).toEqual([]);
  });
});
