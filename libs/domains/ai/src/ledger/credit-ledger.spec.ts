import { randomUUID } from 'node:crypto';
import { CustomerDatabaseService, type StatementTime } from '@platform/database';
import { saveFakeCustomer } from '@test/factories/customer.factory';
import { saveAiCustomer, saveModelPrice, type TestAiCustomer } from '@test/ai-factories';
import { faker } from '@test/faker';
import { type LedgerFixture, createLedgerFixture, LEDGER_NAMES, request, usage } from '@test/ledger.fixture';

/** On a busy machine, two engines may keep a third batch waiting for an account longer than by default. */
const PATIENT = { DATABASE_STATEMENT_TIMEOUT_MS: '30000' };

describe.each(LEDGER_NAMES)('CreditLedger, %s', (name) => {
  let fixture: LedgerFixture;
  let model: string;

  beforeAll(async () => {
    fixture = await createLedgerFixture(PATIENT, name);
    ({ model } = fixture);
  });
  afterAll(() => fixture.close());
  beforeEach(() => fixture.setTime('2026-11-15T12:00:00Z'));

  const save = (ai: Partial<TestAiCustomer>) => saveAiCustomer(fixture.superuser, { model, month: '2026-11', ...ai });

  it('reserves, then charges included credit first and purchased credit for the rest', async () => {
    const customerId = await save({ included: 0.03, purchased: 1 });
    const reservation = request(customerId, { inputTokens: 10, maxTokens: 20 });
    expect(await fixture.ledger().reserve(reservation)).toEqual({
      outcome: 'reserved',
      reservationId: reservation.reservationId,
      model,
      keyCiphertext: null,
      maxTokens: 20,
    });
    expect(await fixture.account(customerId)).toMatchObject({ reserved: '0.110000000000' });

    const settlement = {
      customerId,
      reservationId: reservation.reservationId,
      usage: usage({ input: 10, output: 8 }),
      upstreamId: 'req_1',
    };
    expect(await fixture.ledger().settle(settlement)).toMatchObject({ uncovered: '0.000000000000', late: false });
    expect(await fixture.ledger(1).settle(settlement)).toMatchObject({ uncovered: '0.000000000000', late: false });
    expect(await fixture.account(customerId)).toMatchObject({
      included: '0.000000000000',
      purchased: '0.980000000000',
      reserved: '0.000000000000',
      month_usage: '0.050000000000',
    });
    expect(await fixture.entries(customerId)).toEqual([
      { kind: 'monthly_included', bucket: 'included', amount: 0.03, month: '2026-11' },
      { kind: 'invoice_topup', bucket: 'purchased', amount: 1, month: '2026-11' },
      { kind: 'usage', bucket: 'included', amount: -0.03, month: '2026-11' },
      { kind: 'usage', bucket: 'purchased', amount: -0.02, month: '2026-11' },
    ]);
    const { rows } = await fixture.superuser.query(
      'select provider, model, output_tokens, cost, currency, request_id from ai_usage where customer_id = $1',
      [customerId],
    );
    expect(rows).toEqual([
      { provider: 'anthropic', model, output_tokens: 8, cost: '0.050000000000', currency: 'NOK', request_id: 'req_1' },
    ]);
    expect(await fixture.problems(customerId)).toEqual([]);
  });

  it('tells for whom its connections work, and how long', async () => {
    const [engine] = fixture.engines;
    const report = jest.fn<number, [StatementTime]>(({ ms }) => ms);
    engine?.get(CustomerDatabaseService).reportTime(report);
    const [one, two] = [await save({ included: 5 }), await save({ included: 5 })];
    const calls = [request(one), request(two), request(one)];
    await Promise.all(calls.map((call) => fixture.ledger(0).reserve(call)));
    const told = () => report.mock.calls.flatMap(([{ customers }]) => customers).toSorted();
    expect(told()).toEqual([one, one, two].toSorted());
    const { connections, bytes, ms } = report.mock.calls[0]![0];
    expect(connections).toBe(fixture.database.config.AI_LEDGER_CONNECTIONS);
    expect(bytes.every((count) => count === 0)).toBe(true);
    expect(ms).toBeGreaterThan(0);

    engine?.get(CustomerDatabaseService).reportTime(({ ms }) => ms);
  });

  it('never spends more than there is: 1,000 calls at once through two engines', async () => {
    const customerId = await save({ included: 5 });
    const outcomes = await Promise.all(
      Array.from({ length: 1000 }, async (_, index) => {
        const reservation = request(customerId, { maxTokens: 20 });
        const { outcome } = await fixture.ledger(index).reserve(reservation);
        if (outcome !== 'reserved') return outcome;
        if (index % 7 === 0)
          return fixture.ledger(index + 1).release({
            customerId,
            reservationId: reservation.reservationId,
            outcome: 'released',
            reason: 'upstream 529',
          });
        await fixture.ledger(index + 1).settle({
          customerId,
          reservationId: reservation.reservationId,
          usage: usage({ output: 20 }),
          upstreamId: null,
        });
        return 'settled';
      }),
    );
    const settled = outcomes.filter((outcome) => outcome === 'settled').length;
    expect(settled).toBeGreaterThan(30);
    expect(settled).toBeLessThanOrEqual(50);
    expect(outcomes).toContain('in_progress');
    const { included, reserved, month_usage } = await fixture.account(customerId);
    expect(Number(month_usage)).toBeCloseTo(settled * 0.1, 12);
    expect(Number(included)).toBeCloseTo(5 - settled * 0.1, 12);
    expect(Number(reserved)).toBe(0);
    expect(await fixture.problems(customerId)).toEqual([]);
  });

  // 10,000 take a cluster's ledger long: a statement per customer.
  const usages = name === 'per customer' ? 2_000 : 10_000;
  it(`charges exactly the amounts of an independent computation: ${usages} random usages`, async () => {
    const digits = (most: number) => (faker.number.float() * most).toFixed(6);
    const price = {
      input: digits(300),
      write5m: digits(300),
      write1h: digits(600),
      read: digits(40),
      output: digits(3000),
    };
    const priced = await saveModelPrice(fixture.superuser, price);
    const customers: string[] = [];
    for (let count = 0; count < 20; count++) {
      customers.push(
        await saveAiCustomer(fixture.superuser, { model: priced, purchased: 900_000_000, month: '2026-11' }),
      );
    }
    const tokens = () => Math.floor(faker.number.float() ** 4 * 1_000_000);
    const expected = new Map<string, bigint>();
    const rate = (text: string) => BigInt(text.replace('.', ''));
    await Promise.all(
      Array.from({ length: usages }, async (_, index) => {
        const customerId = customers[index % customers.length]!;
        // Before anything is waited for, so that a seed repeats them.
        const used = usage({
          input: tokens(),
          cacheWrite5m: tokens(),
          cacheWrite1h: tokens(),
          cacheRead: tokens(),
          output: tokens(),
        });
        const reservation = request(customerId, { inputTokens: 4_000_000, cache: '1h', maxTokens: 1_000_000 });
        await fixture.ledger(index).reserve(reservation);
        expected.set(
          reservation.reservationId,
          BigInt(used.input) * rate(price.input) +
            BigInt(used.cacheWrite5m) * rate(price.write5m) +
            BigInt(used.cacheWrite1h) * rate(price.write1h) +
            BigInt(used.cacheRead) * rate(price.read) +
            BigInt(used.output) * rate(price.output),
        );
        await fixture
          .ledger(index)
          .settle({ customerId, reservationId: reservation.reservationId, usage: used, upstreamId: null });
      }),
    );
    const { rows } = await fixture.superuser.query<{ reservation_id: string; cost: string; uncovered: string }>(
      'select id as reservation_id, cost, uncovered from ai_usage where customer_id = any ($1)',
      [customers],
    );
    expect(rows).toHaveLength(usages);
    for (const { reservation_id, cost, uncovered } of rows) {
      expect([reservation_id, BigInt(cost.replace('.', ''))]).toEqual([reservation_id, expected.get(reservation_id)]);
      expect(Number(uncovered)).toBe(0);
    }
    expect(await fixture.problems()).toEqual([]);
  }, 240_000);

  it('caps max_tokens to the tokens that the credit buys, down to the floor', async () => {
    const customerId = await save({ included: 0.1 });
    // 0.1 NOK − 10 tokens in = 0.09 NOK: 18 tokens out.
    const capped = request(customerId, { inputTokens: 10, maxTokens: 100, leastTokens: 18 });
    expect(await fixture.ledger().reserve(capped)).toMatchObject({ outcome: 'reserved', maxTokens: 18 });
    await fixture
      .ledger()
      .release({ customerId, reservationId: capped.reservationId, outcome: 'released', reason: 'test' });
    const whole = request(customerId, { inputTokens: 10, maxTokens: 100, leastTokens: 18, mayShorten: false });
    expect(await fixture.ledger().reserve(whole)).toEqual({ outcome: 'too_large', model, keyCiphertext: null });
    expect(await fixture.ledger().reserve({ ...whole, leastTokens: 21 })).toEqual({ outcome: 'exhausted' });
    expect(
      await fixture.ledger().reserve(request(customerId, { inputTokens: 10, maxTokens: 100, leastTokens: 19 })),
    ).toMatchObject({
      outcome: 'exhausted',
    });
    expect(await fixture.account(customerId)).toMatchObject({ reserved: '0.000000000000' });
  });

  it.each([
    ['none', 0.01],
    ['5m', 0.0125],
    ['1h', 0.02],
  ] as const)('reserves for the highest price of the input when caching is %s', async (cache, amount) => {
    const customerId = await save({ included: 1 });
    await fixture.ledger().reserve(request(customerId, { inputTokens: 10, cache, maxTokens: 1, leastTokens: 1 }));
    expect(Number((await fixture.account(customerId)).reserved)).toBeCloseTo(amount + 0.005, 12);
  });

  it('keeps the reservation of a stream as long as a stream may take, and no other one for so long', async () => {
    const minutesOf = async (streamed: boolean) => {
      const customerId = await save({ included: 1 });
      await fixture.ledger().reserve(request(customerId, { streamed }));
      const { rows } = await fixture.superuser.query<{ minutes: number }>(
        `select extract(epoch from deadline - created_at)::float8 / 60 as minutes from ai_reservation where customer_id = $1`,
        [customerId],
      );
      return rows[0]!.minutes;
    };
    expect(await minutesOf(true)).toBeGreaterThan(60);
    expect(await minutesOf(false)).toBeLessThan(10);

    // Beside others, in the same statements.
    const customerId = await save({ included: 1 });
    const calls = [false, true, false, true, false].map((streamed) => request(customerId, { streamed }));
    await Promise.all(calls.map((call) => fixture.ledger().reserve(call)));
    const { rows } = await fixture.superuser.query<{ id: string }>(
      `select id from ai_reservation where customer_id = $1 and deadline > created_at + interval '60 minutes'`,
      [customerId],
    );
    const streams = calls.filter(({ streamed }) => streamed).map(({ reservationId }) => reservationId);
    expect(rows.map(({ id }) => id)).toEqual(expect.arrayContaining(streams));
  });

  it.each(['inputTokens', 'maxTokens', 'leastTokens'] as const)(
    'reserves nothing for a call whose %s are below zero, and for those beside it what they need',
    async (bound) => {
      const customers = await Promise.all([save({ included: 1 }), save({ included: 1 })]);
      const [wrong, right] = await Promise.allSettled([
        fixture.ledger().reserve(request(customers[0], { maxTokens: 20, leastTokens: 0, [bound]: -1 })),
        fixture.ledger().reserve(request(customers[1])),
      ]);
      expect(wrong).toMatchObject({ status: 'rejected', reason: { code: '22023' } });
      expect(right).toMatchObject({ status: 'fulfilled', value: { outcome: 'reserved' } });
      expect(
        (await Promise.all(customers.map((id) => fixture.account(id)))).map(({ reserved }) => Number(reserved)),
      ).toEqual([0, 0.1]);
    },
  );

  it("keeps to the operator's monthly limit, calls in flight included", async () => {
    const customerId = await save({ included: 5, monthlyLimit: 0.25 });
    const wishes = Array.from({ length: 5 }, () => request(customerId));
    const outcomes = await Promise.all(wishes.map((reservation, index) => fixture.ledger(index).reserve(reservation)));
    expect(outcomes.filter(({ outcome }) => outcome === 'reserved')).toHaveLength(2);
  });

  it('refuses customers without AI, and customers without a model', async () => {
    const disabled = await save({ enabled: false, included: 5 });
    const unpriced = await saveAiCustomer(fixture.superuser, { model: 'unheard-of', included: 5 });
    expect(await fixture.ledger().reserve(request(disabled))).toEqual({ outcome: 'disabled' });
    expect(await fixture.ledger().reserve(request(unpriced))).toEqual({ outcome: 'not_configured' });
    expect(await fixture.ledger().reserve(request(randomUUID()))).toEqual({ outcome: 'disabled' });
  });

  it('never charges more than was reserved, though there is credit, and reports the rest as uncovered', async () => {
    const customerId = await save({ included: 1, purchased: 1 });
    const reservation = request(customerId, { maxTokens: 20 });
    await fixture.ledger().reserve(reservation);
    expect(
      await fixture.ledger().settle({
        customerId,
        reservationId: reservation.reservationId,
        usage: usage({ output: 50 }),
        upstreamId: null,
      }),
    ).toMatchObject({ uncovered: '0.150000000000', late: false });
    expect(await fixture.account(customerId)).toMatchObject({
      included: '0.900000000000',
      purchased: '1.000000000000',
      reserved: '0.000000000000',
      month_usage: '0.100000000000',
    });
    const { rows } = await fixture.superuser.query(
      'select cost::float, uncovered::float from ai_usage where customer_id = $1',
      [customerId],
    );
    expect(rows).toEqual([{ cost: 0.25, uncovered: 0.15 }]);
    expect(await fixture.problems(customerId)).toEqual([]);
  });

  it('rolls over once under load: one expiry, one grant, no call lost', async () => {
    // More than the calls reserve or use, whenever the month turns among them: something is left to expire.
    const customerId = await save({ included: 500, purchased: 100 });
    await fixture.setTime('2026-11-30T22:59:59Z');
    let started = 0;
    const calls = Array.from({ length: 600 }, async (_, index) => {
      const reservation = request(customerId);
      expect((await fixture.ledger(index).reserve(reservation)).outcome).toBe('reserved');
      if (++started === 150) await fixture.setTime('2026-11-30T23:00:01Z');
      expect(
        await fixture.ledger(index).settle({
          customerId,
          reservationId: reservation.reservationId,
          usage: usage({ output: 20 }),
          upstreamId: null,
        }),
      ).toMatchObject({ uncovered: '0.000000000000', late: false });
    });
    await Promise.all(calls);
    const entries = await fixture.entries(customerId);
    expect(entries.filter(({ kind }) => kind === 'expiry')).toHaveLength(1);
    expect(entries.filter(({ kind }) => kind === 'monthly_included').map(({ month }) => month)).toEqual([
      '2026-11',
      '2026-12',
    ]);
    expect(entries.filter(({ kind }) => kind === 'usage').length).toBeGreaterThanOrEqual(600);
    expect((await fixture.account(customerId)).month).toBe('2026-12');
    expect(await fixture.problems(customerId)).toEqual([]);
  });

  it('isolates customers in one batch, with every outcome of their calls', async () => {
    const bare = await saveFakeCustomer(fixture.superuser);
    const off = await save({ included: 1, enabled: false });
    const customers = await Promise.all(
      Array.from({ length: 12 }, (_, index) => save({ included: 0.1 * (index + 1) })),
    );
    // Every customer makes as many calls as there are customers: the first can pay for one, the last for all.
    const calls = customers.flatMap(() => [...customers, bare.id, off].map((customerId) => request(customerId)));
    const reserved = await Promise.all(calls.map((call) => fixture.ledger().reserve(call)));
    const outcomesOf = (customerId: string, outcome: string) =>
      reserved.filter((result, index) => calls[index]!.customerId === customerId && result.outcome === outcome).length;
    expect(customers.map((id) => outcomesOf(id, 'reserved'))).toEqual(customers.map((_, index) => index + 1));
    expect(customers.map((id) => outcomesOf(id, 'in_progress'))).toEqual(customers.map((_, index) => 11 - index));
    expect([bare.id, off].map((id) => outcomesOf(id, 'disabled'))).toEqual([12, 12]);

    const ends = await Promise.all(
      calls.map(async ({ customerId, reservationId }, index) => {
        if (reserved[index]!.outcome !== 'reserved') return 'refused';
        if (index % 3 === 0)
          return fixture.ledger(1).release({ customerId, reservationId, outcome: 'released', reason: 'upstream 529' });
        await fixture
          .ledger(index)
          .settle({ customerId, reservationId, usage: usage({ output: 10 }), upstreamId: null });
        return 'settled';
      }),
    );
    for (const id of customers) {
      const settled = ends.filter((end, index) => calls[index]!.customerId === id && end === 'settled').length;
      expect(Number((await fixture.account(id)).month_usage)).toBeCloseTo(settled * 0.05, 12);
      expect(Number((await fixture.account(id)).reserved)).toBe(0);
      expect(await fixture.problems(id)).toEqual([]);
    }
    expect(ends).toContain('released');
  });

  it('settles or releases a call once, if many requests arrive at the same moment', async () => {
    const customerId = await save({ included: 1 });
    const [charged, freed] = [request(customerId), request(customerId)];
    await Promise.all([
      fixture.ledger().reserve(charged),
      fixture.ledger().reserve(freed),
      fixture.ledger().reserve(request(customerId)),
    ]);
    const settlement = {
      customerId,
      reservationId: charged.reservationId,
      usage: usage({ output: 10 }),
      upstreamId: null,
    };
    const release = {
      customerId,
      reservationId: freed.reservationId,
      outcome: 'released' as const,
      reason: 'upstream 529',
    };
    expect(await Promise.all([0, 0, 1].map((index) => fixture.ledger(index).settle(settlement)))).toEqual(
      [0, 1, 2].map(() => expect.objectContaining({ late: false })),
    );
    expect(await Promise.all([0, 0, 1].map((index) => fixture.ledger(index).release(release)))).toEqual(
      Array(3).fill('released'),
    );
    expect(await fixture.account(customerId)).toMatchObject({
      reserved: '0.100000000000',
      month_usage: '0.050000000000',
    });
    expect(await fixture.problems(customerId)).toEqual([]);
  });

  it("cannot reach another customer's reservation", async () => {
    const [mine, theirs] = [await save({ included: 1 }), await save({ included: 1 })];
    const reservation = request(theirs);
    await fixture.ledger().reserve(reservation);
    await expect(
      fixture.ledger().settle({
        customerId: mine,
        reservationId: reservation.reservationId,
        usage: usage({ output: 1 }),
        upstreamId: null,
      }),
    ).rejects.toThrow('knows no reservation');
    expect(Number((await fixture.account(theirs)).reserved)).toBeCloseTo(0.1, 12);
  });

  it('settles the other calls of a batch in which one has no reservation any more', async () => {
    const customerId = await save({ included: 1 });
    const reserved = request(customerId);
    await fixture.ledger().reserve(reserved);
    const settle = (reservationId: string) =>
      fixture.ledger().settle({ customerId, reservationId, usage: usage({ output: 10 }), upstreamId: null });
    const [gone, charged] = await Promise.allSettled([settle(randomUUID()), settle(reserved.reservationId)]);
    expect(gone).toMatchObject({ status: 'rejected', reason: { message: expect.stringContaining('no reservation') } });
    expect(charged).toMatchObject({ status: 'fulfilled', value: { outcome: 'settled', charged: '0.050000000000' } });
    expect(await fixture.account(customerId)).toMatchObject({
      month_usage: '0.050000000000',
      reserved: '0.000000000000',
    });
  });

  it('reports accounts that differ from their ledger', async () => {
    const customerId = await save({ included: 1 });
    await fixture.superuser.query('update ai_account set included = 2 where customer_id = $1', [customerId]);
    expect(await fixture.problems(customerId)).toEqual([
      {
        customerId,
        problem: 'included credit is not the sum of its ledger entries',
        found: '2.000000000000',
        expected: '1.000000000000',
      },
    ]);
  });

  it('reports entries of no known kind, charged calls that are still reserved, and rows without an account', async () => {
    const customerId = await save({ included: 1 });
    const reservation = request(customerId);
    await fixture.ledger().reserve(reservation);
    await fixture.ledger().settle({
      customerId,
      reservationId: reservation.reservationId,
      usage: usage({ output: 1 }),
      upstreamId: null,
    });
    await fixture.superuser.query(`update ai_ledger_entry set kind = 'gift' where customer_id = $1 and sequence = 1`, [
      customerId,
    ]);
    await fixture.superuser.query(
      `insert into ai_reservation (customer_id, id, state, amount, model, price_valid_from, input_tokens_bound, max_tokens, deadline, created_at)
       values ($1, $2, 'released', 0, 'm', now(), 1, 1, now(), now())`,
      [customerId, reservation.reservationId],
    );
    expect(await fixture.problems(customerId)).toEqual([
      expect.objectContaining({
        problem: `call ${reservation.reservationId}: charged, and yet reserved`,
        found: 'released',
      }),
      // A gift is no grant of the month.
      expect.objectContaining({ problem: 'credit granted for the month is not the sum of its ledger entries' }),
      expect.objectContaining({ problem: 'entry 1: no such kind, or not of such a bucket', found: 'gift of included' }),
    ]);
    await fixture.superuser.query('delete from ai_account where customer_id = $1', [customerId]);
    expect((await fixture.problems(customerId)).map(({ problem }) => problem)).toEqual(
      expect.arrayContaining([
        'ledger entries without an account',
        'reservations without an account',
        'usages without an account',
      ]),
    );
    for (const table of ['ai_reservation', 'ai_usage', 'ai_ledger_entry'])
      await fixture.superuser.query(`delete from ${table} where customer_id = $1`, [customerId]);
  });
});
