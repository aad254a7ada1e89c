import { randomUUID } from 'node:crypto';
import { Test, type TestingModule } from '@nestjs/testing';
import type { Client } from 'pg';
import { ConfigModule } from '@app/config';
import { DatabaseModule } from '@app/database';
import { saveFakeCustomer } from '@test/factories/customer.factory';
import { connectAsSuperuser, createTestDatabase, type TestDatabase } from '@test/test-database';
import { AiModule } from '../ai.module';
import { AiOperatorModule } from '../ai-operator.module';
import { Clock } from '../clock';
import { AiVerification } from '../operator/ai-verification';
import { PLAIN_PRICE, saveAiCustomer, saveModelPrice } from '@test/ai-factories';
import { HoldBook } from './hold-book';
import type { HoldRequest, TokenUsage } from './hold-book.types';

describe('HoldBook', () => {
  let database: TestDatabase;
  let client: Client;
  let operator: TestingModule;
  /** Two engines on one database, as two API processes would be. */
  let engines: TestingModule[];
  let model: string;
  let now: Date;

  beforeAll(async () => {
    database = await createTestDatabase({
      ANTHROPIC_API_KEY: 'service-wide',
      AI_UPSTREAM_TIMEOUT_MS: '10000',
      AI_HOLD_MARGIN_MS: '1000',
    });
    client = await connectAsSuperuser(database);
    model = await saveModelPrice(client, PLAIN_PRICE);
    const engine = () =>
      Test.createTestingModule({
        imports: [ConfigModule.for(database.config), DatabaseModule.as('customer_api'), AiModule],
      })
        .overrideProvider(Clock)
        .useValue({ now: () => now })
        .compile();
    engines = [await engine(), await engine()];
    operator = await Test.createTestingModule({
      imports: [ConfigModule.for(database.config), DatabaseModule.as('account_operator'), AiOperatorModule],
    }).compile();
    await Promise.all([...engines, operator].map((module) => module.init()));
  });

  afterAll(async () => {
    await Promise.all([...engines, operator].map((module) => module.close()));
    await client.end();
    await database.drop();
  });

  beforeEach(() => (now = new Date('2026-11-15T12:00:00Z')));

  const book = (index = 0) => engines[index % 2]!.get(HoldBook);
  const problems = (customerId?: string) => operator.get(AiVerification).verify(customerId);
  const request = (customerId: string, wish: Partial<HoldRequest> = {}): HoldRequest => ({
    customerId,
    holdId: randomUUID(),
    inputTokens: 0,
    cache: 'none',
    maxTokens: 20,
    leastTokens: wish.maxTokens ?? 20,
    mayShorten: true,
    requestId: 'request',
    tokenId: null,
    ...wish,
  });
  const usage = (tokens: Partial<TokenUsage>): TokenUsage => ({
    input: 0,
    cacheWrite5m: 0,
    cacheWrite1h: 0,
    cacheRead: 0,
    output: 0,
    ...tokens,
  });
  const account = async (customerId: string) =>
    (
      await client.query(
        'select included, purchased, held, month_usage, month from ai_account where customer_id = $1',
        [customerId],
      )
    ).rows[0];
  const ledger = async (customerId: string) =>
    (
      await client.query(
        'select kind, bucket, amount::float, month from ai_ledger_entry where customer_id = $1 order by sequence',
        [customerId],
      )
    ).rows;

  it('holds, then charges included credit first and purchased credit for the rest', async () => {
    const customerId = await saveAiCustomer(client, { model, included: 0.03, purchased: 1, month: '2026-11' });
    const wish = request(customerId, { inputTokens: 10, maxTokens: 20 });
    expect(await book().hold(wish)).toEqual({ outcome: 'held', model, keyCiphertext: null, maxTokens: 20 });
    expect(await account(customerId)).toMatchObject({ held: '0.110000000000' });

    const settlement = { customerId, holdId: wish.holdId, usage: usage({ input: 10, output: 8 }), upstreamId: 'req_1' };
    expect(await book().settle(settlement)).toBe('settled');
    expect(await book(1).settle(settlement)).toBe('settled');
    expect(await account(customerId)).toMatchObject({
      included: '0.000000000000',
      purchased: '0.980000000000',
      held: '0.000000000000',
      month_usage: '0.050000000000',
    });
    expect(await ledger(customerId)).toEqual([
      { kind: 'monthly_included', bucket: 'included', amount: 0.03, month: '2026-11' },
      { kind: 'invoice_topup', bucket: 'purchased', amount: 1, month: '2026-11' },
      { kind: 'usage', bucket: 'included', amount: -0.03, month: '2026-11' },
      { kind: 'usage', bucket: 'purchased', amount: -0.02, month: '2026-11' },
    ]);
    const { rows } = await client.query(
      'select provider, model, output_tokens, cost, currency, request_id from ai_usage where customer_id = $1',
      [customerId],
    );
    expect(rows).toEqual([
      { provider: 'anthropic', model, output_tokens: 8, cost: '0.050000000000', currency: 'NOK', request_id: 'req_1' },
    ]);
    expect(await problems(customerId)).toEqual([]);
  });

  it('never spends more than there is: 1,000 calls at once through two engines', async () => {
    const customerId = await saveAiCustomer(client, { model, included: 5, month: '2026-11' });
    const outcomes = await Promise.all(
      Array.from({ length: 1000 }, async (_, index) => {
        const wish = request(customerId, { maxTokens: 20 });
        const { outcome } = await book(index).hold(wish);
        if (outcome !== 'held') return outcome;
        if (index % 7 === 0)
          return book(index + 1).release({ customerId, holdId: wish.holdId, reason: 'upstream 529' });
        return book(index + 1).settle({
          customerId,
          holdId: wish.holdId,
          usage: usage({ output: 20 }),
          upstreamId: null,
        });
      }),
    );
    const settled = outcomes.filter((outcome) => outcome === 'settled').length;
    expect(settled).toBeGreaterThan(30);
    expect(settled).toBeLessThanOrEqual(50);
    expect(outcomes).toContain('exhausted');
    const { included, held, month_usage } = await account(customerId);
    expect(Number(month_usage)).toBeCloseTo(settled * 0.1, 12);
    expect(Number(included)).toBeCloseTo(5 - settled * 0.1, 12);
    expect(Number(held)).toBe(0);
    expect(await problems(customerId)).toEqual([]);
  });

  it('charges exactly what an independent computation says: 10,000 random usages', async () => {
    const digits = (most: number) => (Math.random() * most).toFixed(6);
    const price = {
      input: digits(300),
      write5m: digits(300),
      write1h: digits(600),
      read: digits(40),
      output: digits(3000),
    };
    const priced = await saveModelPrice(client, price);
    const customers: string[] = [];
    for (let count = 0; count < 20; count++) {
      customers.push(await saveAiCustomer(client, { model: priced, purchased: 900_000_000, month: '2026-11' }));
    }
    const tokens = () => Math.floor(Math.random() ** 4 * 1_000_000);
    const expected = new Map<string, bigint>();
    const rate = (text: string) => BigInt(text.replace('.', ''));
    await Promise.all(
      Array.from({ length: 10_000 }, async (_, index) => {
        const customerId = customers[index % customers.length]!;
        const wish = request(customerId, { maxTokens: 1 });
        await book(index).hold(wish);
        const used = usage({
          input: tokens(),
          cacheWrite5m: tokens(),
          cacheWrite1h: tokens(),
          cacheRead: tokens(),
          output: tokens(),
        });
        expected.set(
          wish.holdId,
          BigInt(used.input) * rate(price.input) +
            BigInt(used.cacheWrite5m) * rate(price.write5m) +
            BigInt(used.cacheWrite1h) * rate(price.write1h) +
            BigInt(used.cacheRead) * rate(price.read) +
            BigInt(used.output) * rate(price.output),
        );
        await book(index).settle({ customerId, holdId: wish.holdId, usage: used, upstreamId: null });
      }),
    );
    const { rows } = await client.query<{ hold_id: string; cost: string; uncovered: string }>(
      'select id as hold_id, cost, uncovered from ai_usage where customer_id = any ($1)',
      [customers],
    );
    expect(rows).toHaveLength(10_000);
    for (const { hold_id, cost, uncovered } of rows) {
      expect([hold_id, BigInt(cost.replace('.', ''))]).toEqual([hold_id, expected.get(hold_id)]);
      expect(Number(uncovered)).toBe(0);
    }
    expect(await problems()).toEqual([]);
  }, 120_000);

  it('caps max_tokens to what the credit buys, down to the floor', async () => {
    const customerId = await saveAiCustomer(client, { model, included: 0.1, month: '2026-11' });
    // 0.1 NOK − 10 tokens in = 0.09 NOK: 18 tokens out.
    const capped = request(customerId, { inputTokens: 10, maxTokens: 100, leastTokens: 18 });
    expect(await book().hold(capped)).toMatchObject({ outcome: 'held', maxTokens: 18 });
    await book().release({ customerId, holdId: capped.holdId, reason: 'test' });
    const whole = request(customerId, { inputTokens: 10, maxTokens: 100, leastTokens: 18, mayShorten: false });
    expect(await book().hold(whole)).toEqual({ outcome: 'too_large', model, keyCiphertext: null });
    expect(await book().hold({ ...whole, leastTokens: 21 })).toEqual({ outcome: 'exhausted' });
    expect(await book().hold(request(customerId, { inputTokens: 10, maxTokens: 100, leastTokens: 19 }))).toMatchObject({
      outcome: 'exhausted',
    });
    expect(await account(customerId)).toMatchObject({ held: '0.000000000000' });
  });

  it.each([
    ['none', 0.01],
    ['5m', 0.0125],
    ['1h', 0.02],
  ] as const)('holds for the dearest way to read the input when caching is %s', async (cache, amount) => {
    const customerId = await saveAiCustomer(client, { model, included: 1, month: '2026-11' });
    await book().hold(request(customerId, { inputTokens: 10, cache, maxTokens: 1, leastTokens: 1 }));
    expect(Number((await account(customerId)).held)).toBeCloseTo(amount + 0.005, 12);
  });

  it("keeps to the operator's monthly limit, calls in flight included", async () => {
    const customerId = await saveAiCustomer(client, { model, included: 5, monthlyLimit: 0.25, month: '2026-11' });
    const wishes = Array.from({ length: 5 }, () => request(customerId));
    const outcomes = await Promise.all(wishes.map((wish, index) => book(index).hold(wish)));
    expect(outcomes.filter(({ outcome }) => outcome === 'held')).toHaveLength(2);
  });

  it('refuses who may not use AI, and who is not configured', async () => {
    const disabled = await saveAiCustomer(client, { model, enabled: false, included: 5 });
    const unpriced = await saveAiCustomer(client, { model: 'unheard-of', included: 5 });
    expect(await book().hold(request(disabled))).toEqual({ outcome: 'disabled' });
    expect(await book().hold(request(unpriced))).toEqual({ outcome: 'not_configured' });
    expect(await book().hold(request(randomUUID()))).toEqual({ outcome: 'disabled' });
  });

  it('charges no more than the credit there is when a call costs more than its hold, and tells the rest', async () => {
    const customerId = await saveAiCustomer(client, { model, included: 0.1, purchased: 0.05, month: '2026-11' });
    const wish = request(customerId, { maxTokens: 20 });
    await book().hold(wish);
    await book().settle({ customerId, holdId: wish.holdId, usage: usage({ output: 40 }), upstreamId: null });
    expect(await account(customerId)).toMatchObject({ included: '0.000000000000', purchased: '0.000000000000' });
    const { rows } = await client.query('select cost::float, uncovered::float from ai_usage where customer_id = $1', [
      customerId,
    ]);
    expect(rows).toEqual([{ cost: 0.2, uncovered: 0.05 }]);
    expect(await problems(customerId)).toEqual([]);
  });

  it('does not touch what other calls hold when a call costs more than its hold', async () => {
    const customerId = await saveAiCustomer(client, { model, included: 0.2, month: '2026-11' });
    const [dear, other] = [request(customerId), request(customerId)];
    await book().hold(dear);
    await book().hold(other);
    await book().settle({ customerId, holdId: dear.holdId, usage: usage({ output: 40 }), upstreamId: null });
    expect(await account(customerId)).toMatchObject({ included: '0.100000000000', held: '0.100000000000' });
    await book().settle({ customerId, holdId: other.holdId, usage: usage({ output: 20 }), upstreamId: null });
    expect(await problems(customerId)).toEqual([]);
  });

  it('turns the month once in the middle of load: one expiry, one grant, no call lost', async () => {
    const customerId = await saveAiCustomer(client, { model, included: 50, purchased: 100, month: '2026-11' });
    now = new Date('2026-11-30T22:59:59Z');
    let started = 0;
    const calls = Array.from({ length: 600 }, async (_, index) => {
      const wish = request(customerId);
      expect((await book(index).hold(wish)).outcome).toBe('held');
      if (++started === 150) now = new Date('2026-11-30T23:00:01Z');
      expect(
        await book(index).settle({ customerId, holdId: wish.holdId, usage: usage({ output: 20 }), upstreamId: null }),
      ).toBe('settled');
    });
    await Promise.all(calls);
    const entries = await ledger(customerId);
    expect(entries.filter(({ kind }) => kind === 'expiry')).toHaveLength(1);
    expect(entries.filter(({ kind }) => kind === 'monthly_included').map(({ month }) => month)).toEqual([
      '2026-11',
      '2026-12',
    ]);
    expect(entries.filter(({ kind }) => kind === 'usage').length).toBeGreaterThanOrEqual(600);
    expect((await account(customerId)).month).toBe('2026-12');
    expect(await problems(customerId)).toEqual([]);
  });

  it('keeps the included credit that calls in flight at midnight have set aside', async () => {
    const customerId = await saveAiCustomer(client, { model, included: 1, month: '2026-11' });
    const wish = request(customerId, { maxTokens: 60 });
    await book().hold(wish);
    now = new Date('2026-12-01T08:00:00Z');
    await book().settle({ customerId, holdId: wish.holdId, usage: usage({ output: 20 }), upstreamId: null });
    expect(await ledger(customerId)).toEqual([
      { kind: 'monthly_included', bucket: 'included', amount: 1, month: '2026-11' },
      { kind: 'expiry', bucket: 'included', amount: -0.7, month: '2026-11' },
      { kind: 'monthly_included', bucket: 'included', amount: 1, month: '2026-12' },
      { kind: 'usage', bucket: 'included', amount: -0.1, month: '2026-12' },
    ]);
  });

  it('keeps customers apart who share a batch, whatever becomes of their calls', async () => {
    const bare = await saveFakeCustomer(client);
    const off = await saveAiCustomer(client, { model, included: 1, enabled: false });
    const customers = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        saveAiCustomer(client, { model, included: 0.1 * (index + 1), month: '2026-11' }),
      ),
    );
    // As many calls as customers for everybody: the first can pay for one, the last for all.
    const calls = customers.flatMap(() => [...customers, bare.id, off].map((customerId) => request(customerId)));
    const held = await Promise.all(calls.map((call) => book().hold(call)));
    const outcomesOf = (customerId: string, outcome: string) =>
      held.filter((result, index) => calls[index]!.customerId === customerId && result.outcome === outcome).length;
    expect(customers.map((id) => outcomesOf(id, 'held'))).toEqual(customers.map((_, index) => index + 1));
    expect(customers.map((id) => outcomesOf(id, 'exhausted'))).toEqual(customers.map((_, index) => 11 - index));
    expect([bare.id, off].map((id) => outcomesOf(id, 'disabled'))).toEqual([12, 12]);

    const ends = await Promise.all(
      calls.map(async ({ customerId, holdId }, index) => {
        if (held[index]!.outcome !== 'held') return 'refused';
        if (index % 3 === 0) return book(1).release({ customerId, holdId, reason: 'upstream 529' });
        return book(index).settle({ customerId, holdId, usage: usage({ output: 10 }), upstreamId: null });
      }),
    );
    for (const id of customers) {
      const settled = ends.filter((end, index) => calls[index]!.customerId === id && end === 'settled').length;
      expect(Number((await account(id)).month_usage)).toBeCloseTo(settled * 0.05, 12);
      expect(Number((await account(id)).held)).toBe(0);
      expect(await problems(id)).toEqual([]);
    }
    expect(ends).toContain('released');
  });

  it('ends a call once, however often it is said at the same moment', async () => {
    const customerId = await saveAiCustomer(client, { model, included: 1, month: '2026-11' });
    const [charged, freed] = [request(customerId), request(customerId)];
    await Promise.all([book().hold(charged), book().hold(freed), book().hold(request(customerId))]);
    const settlement = { customerId, holdId: charged.holdId, usage: usage({ output: 10 }), upstreamId: null };
    const release = { customerId, holdId: freed.holdId, reason: 'upstream 529' };
    expect(await Promise.all([0, 0, 1].map((index) => book(index).settle(settlement)))).toEqual(
      Array(3).fill('settled'),
    );
    expect(await Promise.all([0, 0, 1].map((index) => book(index).release(release)))).toEqual(
      Array(3).fill('released'),
    );
    expect(await account(customerId)).toMatchObject({ held: '0.100000000000', month_usage: '0.050000000000' });
    expect(await problems(customerId)).toEqual([]);
  });

  it("cannot reach another customer's hold", async () => {
    const [mine, theirs] = [
      await saveAiCustomer(client, { model, included: 1 }),
      await saveAiCustomer(client, { model, included: 1 }),
    ];
    const wish = request(theirs);
    await book().hold(wish);
    await expect(
      book().settle({ customerId: mine, holdId: wish.holdId, usage: usage({ output: 1 }), upstreamId: null }),
    ).rejects.toThrow('knows no hold');
    expect(Number((await account(theirs)).held)).toBeCloseTo(0.1, 12);
  });

  it('reports books that do not add up', async () => {
    const customerId = await saveAiCustomer(client, { model, included: 1, month: '2026-11' });
    await client.query('update ai_account set included = 2 where customer_id = $1', [customerId]);
    expect(await problems(customerId)).toEqual([
      {
        customerId,
        problem: 'included credit is not the sum of its ledger entries',
        found: '2.000000000000',
        expected: '1.000000000000',
      },
    ]);
  });

  it('reports entries of no known kind, charged calls that are still held, and rows without an account', async () => {
    const customerId = await saveAiCustomer(client, { model, included: 1, month: '2026-11' });
    const wish = request(customerId);
    await book().hold(wish);
    await book().settle({ customerId, holdId: wish.holdId, usage: usage({ output: 1 }), upstreamId: null });
    await client.query(`update ai_ledger_entry set kind = 'gift' where customer_id = $1 and sequence = 1`, [
      customerId,
    ]);
    await client.query(
      `insert into ai_hold (customer_id, id, state, amount, model, price_valid_from, input_tokens_bound, max_tokens, deadline, created_at)
       values ($1, $2, 'released', 0, 'm', now(), 1, 1, now(), now())`,
      [customerId, wish.holdId],
    );
    expect(await problems(customerId)).toEqual([
      expect.objectContaining({ problem: `call ${wish.holdId}: charged, and yet held`, found: 'released' }),
      expect.objectContaining({ problem: 'entry 1: no such kind, or not of such a bucket', found: 'gift of included' }),
    ]);
    await client.query('delete from ai_account where customer_id = $1', [customerId]);
    expect((await problems(customerId)).map(({ problem }) => problem)).toEqual(
      expect.arrayContaining([
        'ledger entries without an account',
        'holds without an account',
        'usages without an account',
      ]),
    );
    for (const table of ['ai_hold', 'ai_usage', 'ai_ledger_entry'])
      await client.query(`delete from ${table} where customer_id = $1`, [customerId]);
  });
});
