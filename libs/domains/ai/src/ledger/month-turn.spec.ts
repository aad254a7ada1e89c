import type { Client } from 'pg';
import { saveAiCustomer, type TestAiCustomer } from '@test/ai-factories';
import { type LedgerFixture, createLedgerFixture, LEDGER_NAMES, request, usage } from '@test/ledger.fixture';
import { waitForLocks } from '@test/locks';
import { connectAsSuperuser } from '@test/test-database';

/** A call reserves 0.3 NOK, and costs 0.1 for 20 tokens. */
describe.each(LEDGER_NAMES)('Included credit at the roll-over to a new month, %s', (name) => {
  let fixture: LedgerFixture;
  beforeAll(async () => (fixture = await createLedgerFixture({}, name)));
  afterAll(() => fixture.close());
  beforeEach(() => fixture.setTime('2026-11-30T22:59:50Z'));

  const save = (ai: Partial<TestAiCustomer>) =>
    saveAiCustomer(fixture.superuser, { model: fixture.model, month: '2026-11', ...ai });
  const reserve = async (customerId: string) => {
    const reservation = request(customerId, { maxTokens: 60 });
    expect((await fixture.ledger().reserve(reservation)).outcome).toBe('reserved');
    return reservation.reservationId;
  };
  const settle = (customerId: string, reservationId: string, output = 20) =>
    fixture.ledger().settle({ customerId, reservationId, usage: usage({ output }), upstreamId: null });
  const release = (customerId: string, reservationId: string) =>
    fixture.ledger().release({ customerId, reservationId, outcome: 'released', reason: 'upstream 529' });
  const turn = () => fixture.setTime('2026-11-30T23:00:10Z');
  const rollOver = (client: Client, customerId: string) =>
    client.query(`select app.ai_roll_over($1, '2026-12', app.now())`, [customerId]);
  const includeNothing = (customerId: string) =>
    fixture.superuser.query(
      `update customer_service set config = '{"monthly_included_nok":0}' where customer_id = $1`,
      [customerId],
    );
  /** Without the grant and the purchase at the beginning. */
  const since = async (customerId: string, entries: number) =>
    (await fixture.entries(customerId))
      .slice(entries)
      .map(({ kind, bucket, amount, month }) => [kind, bucket, amount, month]);
  const carried = async (customerId: string) => Number((await fixture.account(customerId)).carried_over);
  afterEach(async () => expect(await fixture.problems()).toEqual([]));

  it('that a call had reserved and does not use expires when the call is settled', async () => {
    const customerId = await save({ included: 1 });
    const id = await reserve(customerId);
    await turn();
    await settle(customerId, id);
    expect(await since(customerId, 1)).toEqual([
      ['expiry', 'included', -0.7, '2026-11'],
      ['monthly_included', 'included', 1, '2026-12'],
      ['usage', 'included', -0.1, '2026-12'],
      ['expiry', 'included', -0.2, '2026-11'],
    ]);
    expect(await fixture.account(customerId)).toMatchObject({ included: '1.000000000000', reserved: '0.000000000000' });
  });

  it('expires when the call is released or ends with an unknown outcome', async () => {
    for (const end of ['released', 'given up']) {
      const customerId = await save({ included: 1 });
      const id = await reserve(customerId);
      await turn();
      // Another call rolls the account over to the new month.
      await settle(customerId, await reserve(customerId));
      expect(await carried(customerId)).toBe(0.3);
      if (end === 'released') {
        expect(await release(customerId, id)).toBe('released');
      } else {
        await fixture.setTime('2026-12-01T12:00:00Z');
        await fixture.superuser.query('select app.ai_resolve_abandoned($1)', [customerId]);
      }
      expect(await carried(customerId)).toBe(0);
      expect((await since(customerId, 1)).at(-1)).toEqual(['expiry', 'included', -0.3, '2026-11']);
      expect(await fixture.account(customerId)).toMatchObject({
        included: '0.900000000000',
        reserved: '0.000000000000',
      });
      await fixture.setTime('2026-11-30T22:59:50Z');
    }
  });

  it.each(['released', 'given up'])('expires when its call is %s together with one of the new month', async (end) => {
    const customerId = await save({ included: 1 });
    const old = await reserve(customerId);
    await turn();
    const present = await reserve(customerId);
    expect(await carried(customerId)).toBe(0.3);
    if (end === 'released') await Promise.all([release(customerId, old), release(customerId, present)]);
    else {
      await fixture.setTime('2026-12-01T12:00:00Z');
      await fixture.superuser.query('select app.ai_resolve_abandoned($1)', [customerId]);
    }
    expect((await since(customerId, 1)).at(-1)).toEqual(['expiry', 'included', -0.3, '2026-11']);
    expect(await fixture.account(customerId)).toMatchObject({ included: '1.000000000000', reserved: '0.000000000000' });
  });

  it('is not told as left after a call, once no other needs it', async () => {
    const customerId = await save({ included: 1 });
    const [first, second] = [await reserve(customerId), await reserve(customerId)];
    await turn();
    const present = await reserve(customerId);
    const left = async (...calls: string[]) =>
      (await Promise.all(calls.map((id) => settle(customerId, id)))).map(({ remaining }) => Number(remaining));
    // Of the 0.5 NOK that are kept after the first call the second may need 0.3.
    expect(await left(first)).toEqual([1.3]);
    expect(await left(second, present)).toEqual([1, 0.9]);
    expect(await fixture.account(customerId)).toMatchObject({ included: '0.900000000000' });
  });

  it('tells of a threshold that the month has passed when it expires', async () => {
    const told = async (customerId: string) => {
      const { rows } = await fixture.superuser.query<{ threshold: string }>(
        `select record->>'threshold' as threshold from event where customer_id = $1 and type = 'ai.credit.low'`,
        [customerId],
      );
      return rows.map(({ threshold }) => threshold);
    };
    const customerId = await save({ included: 1 });
    const old = await reserve(customerId);
    await turn();
    // Nine tenths of the month's own credit, and less than four fifths of what can be spent in it.
    for (let count = 0; count < 3; count++) await settle(customerId, await reserve(customerId), 60);
    expect(await told(customerId)).toEqual([]);
    await release(customerId, old);
    expect(await told(customerId)).toEqual(['80']);
  });

  it('is kept as long as another call of the old month needs it', async () => {
    const customerId = await save({ included: 0.5, purchased: 1 });
    const [first, second] = [await reserve(customerId), await reserve(customerId)];
    await turn();
    await settle(customerId, first);
    // 0.1 was used; the second call may need 0.3 of the remaining 0.4.
    expect(await carried(customerId)).toBe(0.3);
    await settle(customerId, second, 60);
    expect(await carried(customerId)).toBe(0);
    expect(await since(customerId, 2)).toEqual([
      ['monthly_included', 'included', 0.5, '2026-12'],
      ['usage', 'included', -0.1, '2026-12'],
      ['expiry', 'included', -0.1, '2026-11'],
      ['usage', 'included', -0.3, '2026-12'],
    ]);
    expect(await fixture.account(customerId)).toMatchObject({
      included: '0.500000000000',
      purchased: '1.000000000000',
    });
  });

  it.each([0, 1])('is not spent by calls of the new month, settled with those of %i other customers', async (count) => {
    const customerId = await save({ included: 0.3, purchased: 1 });
    const others: string[] = [];
    for (let other = 0; other < count; other++) others.push(await save({ included: 1 }));
    const old = await reserve(customerId);
    await includeNothing(customerId);
    await turn();
    const calls: [string, Awaited<ReturnType<typeof reserve>>][] = [];
    for (const id of [customerId, ...others]) calls.push([id, await reserve(id)]);
    await Promise.all(calls.map(([id, call]) => settle(id, call, 60)));
    expect(await fixture.account(customerId)).toMatchObject({
      included: '0.300000000000',
      purchased: '0.700000000000',
    });
    await settle(customerId, old, 60);
    expect(await fixture.account(customerId)).toMatchObject({
      included: '0.000000000000',
      purchased: '0.700000000000',
    });
  });

  it.each([
    { under: 0, purchased: 0, spent: [['usage', 'included', 0, '2026-12']] },
    {
      under: 1,
      purchased: 1,
      spent: [
        ['usage', 'purchased', -0.3, '2026-12'],
        ['usage', 'included', -0.3, '2026-12'],
      ],
    },
  ])(
    'is not spent by a late call that is settled together with the one that it was kept for, nor what is kept for $under others',
    async ({ under, purchased, spent }) => {
      const customerId = await save({ included: 0.6 + 0.3 * under, purchased });
      const late = await reserve(customerId);
      await fixture
        .ledger()
        .release({ customerId, reservationId: late, outcome: 'outcome_unknown', reason: 'cut off' });
      const old = await reserve(customerId);
      const others: string[] = [];
      for (let count = 0; count < under; count++) others.push(await reserve(customerId));
      await includeNothing(customerId);
      await turn();
      const [, charge] = await Promise.all([settle(customerId, old), settle(customerId, late, 60)]);
      expect(charge).toMatchObject({ late: true });
      for (const other of others) await settle(customerId, other, 60);
      expect(await since(customerId, purchased > 0 ? 2 : 1)).toEqual([
        ['expiry', 'included', -0.3, '2026-11'],
        ['usage', 'included', -0.1, '2026-12'],
        ['expiry', 'included', -0.2, '2026-11'],
        ...spent,
      ]);
    },
  );

  it('carries over no more than the limit allowed the calls to reserve', async () => {
    const customerId = await save({ included: 5, purchased: 1, monthlyLimit: 0.1 });
    const old = await reserve(customerId);
    await turn();
    await settle(customerId, old, 60);
    expect(await since(customerId, 2)).toEqual([
      ['expiry', 'included', -4.9, '2026-11'],
      ['monthly_included', 'included', 5, '2026-12'],
      ['usage', 'included', -0.1, '2026-12'],
      ['usage', 'purchased', -0.2, '2026-12'],
    ]);
  });

  it('is kept for no call any more once the operator has deducted it, as its limit lets none spend it', async () => {
    const customerId = await save({ included: 0.3, purchased: 1, monthlyLimit: 1 });
    await includeNothing(customerId);
    const old = await reserve(customerId);
    await turn();
    await rollOver(fixture.superuser, customerId);
    expect(await carried(customerId)).toBe(0.3);
    await fixture.superuser.query('update ai_settings set monthly_limit = 0 where customer_id = $1', [customerId]);
    await fixture.superuser.query(
      `select app.ai_credit($1, '2026-12', app.now(), 'manual_adjustment', -1, 'test', 'operator:test', null, null)`,
      [customerId],
    );
    expect(await carried(customerId)).toBe(0);
    await settle(customerId, old, 60);
    expect(await since(customerId, 2)).toEqual([
      ['manual_adjustment', 'purchased', -0.7, '2026-12'],
      ['manual_adjustment', 'included', -0.3, '2026-12'],
      ['usage', 'purchased', -0.3, '2026-12'],
    ]);
  });

  it('pays a call that waited for the account meanwhile at the first moment of the new month', async () => {
    const customerId = await save({ included: 1 });
    const id = await reserve(customerId);
    // On a cluster the function has a time-out of its own.
    if (name === 'per customer') await fixture.superuser.query('alter function app.ai_settle_for reset lock_timeout');
    const [other, waiting] = [await connectAsSuperuser(fixture.database), await connectAsSuperuser(fixture.database)];
    await other.query('begin');
    await other.query('select from ai_account where customer_id = $1 for update', [customerId]);
    const settled = waiting.query(
      `select outcome from ${name === 'per customer' ? 'app.ai_settle_for($1,' : 'app.ai_settle(array[$1::uuid],'}
         array[row(1, $2, 0, 0, 0, 0, 20, 'a', false, null, null)::app.ai_settlement], 'Europe/Oslo', 'infinity', 'anthropic')`,
      [customerId, id],
    );
    await waitForLocks(fixture.superuser, 1);
    await turn();
    await rollOver(other, customerId);
    await other.query('commit');
    expect((await settled).rows).toEqual([{ outcome: 'settled' }]);
    const { rows } = await fixture.superuser.query<{ at: Date }>(
      'select created_at as at from ai_usage where customer_id = $1',
      [customerId],
    );
    expect(rows.map(({ at }) => at.toISOString())).toEqual(['2026-11-30T23:00:00.000Z']);
    expect((await since(customerId, 1)).filter(([kind]) => kind === 'usage')).toEqual([
      ['usage', 'included', -0.1, '2026-12'],
    ]);
    await Promise.all([other.end(), waiting.end()]);
  });

  it('expires, and no more, where the limit was lowered below what has been used', async () => {
    const customerId = await save({ included: 1, purchased: 1, monthlyLimit: 1 });
    await settle(customerId, await reserve(customerId), 60);
    await fixture.superuser.query('update ai_settings set monthly_limit = 0.1 where customer_id = $1', [customerId]);
    await turn();
    await settle(customerId, await reserve(customerId));
    expect(await since(customerId, 3)).toEqual([
      ['expiry', 'included', -0.7, '2026-11'],
      ['monthly_included', 'included', 1, '2026-12'],
      ['usage', 'included', -0.1, '2026-12'],
    ]);
    expect(await carried(customerId)).toBe(0);
  });

  it.each([
    ['2026-10-31T22:59:59.999Z', '2026-10'],
    ['2026-10-31T23:00:00.000Z', '2026-11'],
    // Summer time: midnight comes an hour earlier in UTC.
    ['2026-06-30T21:59:59.999Z', '2026-06'],
    ['2026-06-30T22:00:00.000Z', '2026-07'],
    ['2026-12-31T23:30:00.000Z', '2027-01'],
  ])('rolls over in the billing time zone: %s is in %s', async (instant, month) => {
    await fixture.setTime(instant);
    const customerId = await save({ included: 1, month: '2026-01' });
    await settle(customerId, await reserve(customerId));
    expect(await fixture.account(customerId)).toMatchObject({ month });
  });
});
