import { randomBytes } from 'node:crypto';
import { enableAi, saveAiCustomer, saveModelPrice } from '@test/ai-factories';
import { type AiFixture, createAiFixture } from '@test/ai.fixture';
import { request, usage } from '@test/ledger.fixture';
import {
  AiConfigurationOperatorService,
  AiCreditOperatorService,
  AiMaintenanceService,
  CreditLedger,
} from '@domains/ai';
import { saveFakeCustomer } from '@test/factories/customer.factory';

/** `npm run accept:credit-events` makes 1,000 calls at once. */
const CALLS = Number(process.env.ACCEPT_CALLS ?? 120);
const MESSAGE = { messages: [{ role: 'user', content: 'hi' }], max_tokens: 10 };
const OPERATOR = 'operator:test';

jest.setTimeout(240_000);

/** Events about credit, while calls and changes of the operator cause them at the same time. */
describe('events about AI credit', () => {
  let fixture: AiFixture;
  let model: string;
  beforeAll(async () => {
    fixture = await createAiFixture({ DATABASE_POOL_SIZE: '10' }, 2);
    model = await saveModelPrice(fixture.superuser);
  });
  afterAll(() => fixture.close());
  beforeEach(() => fixture.setTime('2026-11-20T12:00:00Z'));

  const eventsOf = async (customerId: string) =>
    (
      await fixture.superuser.query<{
        type: string;
        month: string;
        threshold: number | null;
        usage: number;
        limit: number;
      }>(
        `select type, record->>'month' as month, (record->>'threshold')::int as threshold,
           (record->>'currentMonthUsage')::float as usage, (record->>'currentMonthLimit')::float as limit
         from event where customer_id = $1 order by id`,
        [customerId],
      )
    ).rows;
  /** In alphabetical order: where the clock stands still, ids are in none. */
  const typesOf = async (customerId: string, month = '2026-11') =>
    (await eventsOf(customerId))
      .filter((event) => event.month === month)
      .map(({ type }) => type.slice('ai.credit.'.length))
      .sort();
  const call = (customerId: string, engine = 0) =>
    fixture.send(customerId, MESSAGE, engine).catch((error: unknown) => error);
  const costOf = async () => {
    const id = await saveAiCustomer(fixture.superuser, { model, included: 1000, month: '2026-11' });
    await call(id);
    const { rows } = await fixture.superuser.query<{ usage: string }>(
      'select month_usage::text as usage from ai_account where customer_id = $1',
      [id],
    );
    return Number(rows[0]?.usage);
  };
  const configure = (customerId: string, change: object) =>
    fixture.operator.get(AiConfigurationOperatorService).configure(OPERATOR, customerId, change);

  it(`tell once of each threshold while ${CALLS} calls at once pass it`, async () => {
    const cost = await costOf();
    const id = await saveAiCustomer(fixture.superuser, { model, included: cost * CALLS, month: '2026-11' });
    await configure(id, { creditThresholds: [50, 80] });
    await Promise.all(Array.from({ length: CALLS }, (_, n) => call(id, n)));
    while (!((await call(id)) instanceof Error));
    await Promise.all(Array.from({ length: 20 }, (_, n) => call(id, n)));
    const events = await eventsOf(id);
    expect(events.map(({ type, threshold }) => [type, threshold]).sort()).toEqual(
      [
        ['ai.credit.exhausted', null],
        ['ai.credit.low', 50],
        ['ai.credit.low', 80],
      ].sort(),
    );
    for (const { threshold, usage, limit } of events)
      expect(usage).toBeGreaterThanOrEqual((limit * (threshold ?? 0)) / 100);
  });

  it('tell of credit of less than a krone as well', async () => {
    const cost = await costOf();
    expect(cost).toBeLessThan(0.3);
    const id = await saveAiCustomer(fixture.superuser, { model, included: cost * 9, month: '2026-11' });
    // The second one, which is not reached, does not put off the first.
    await configure(id, { creditThresholds: [20, 90] });
    await call(id);
    expect(await typesOf(id)).toEqual([]);
    await call(id);
    expect(await typesOf(id)).toEqual(['low']);
  });

  it('tell of 80 % unless the operator set others, and not before', async () => {
    const cost = await costOf();
    const id = await saveAiCustomer(fixture.superuser, { model, included: cost * 10, month: '2026-11' });
    for (let count = 1; count <= 8; count++) {
      expect(await eventsOf(id)).toEqual([]);
      await call(id);
    }
    expect(await eventsOf(id)).toMatchObject([{ type: 'ai.credit.low', threshold: 80, month: '2026-11' }]);
  });

  it('count purchased credit and limits: the share is that of current_month_limit', async () => {
    const cost = await costOf();
    const id = await saveAiCustomer(fixture.superuser, { model, included: cost * 5, purchased: 0, month: '2026-11' });
    await fixture.operator.get(AiCreditOperatorService).adjust(OPERATOR, {
      customerId: id,
      kind: 'manual_adjustment',
      amountNok: String(cost * 5),
      note: 'Correction',
    });
    for (let count = 1; count <= 7; count++) await call(id);
    expect(await eventsOf(id)).toEqual([]);
    // Seven tenths were used; of a limit of eight they are seven eighths.
    await configure(id, { totalLimitNok: String(cost * 8) });
    expect(await eventsOf(id)).toMatchObject([{ type: 'ai.credit.low', threshold: 80 }]);
    await configure(id, { totalLimitNok: null });
    await call(id);
    expect(await typesOf(id)).toEqual(['low']);
  });

  it('are not written where the operator added credit before the threshold', async () => {
    const cost = await costOf();
    const id = await saveAiCustomer(fixture.superuser, { model, included: cost * 10, month: '2026-11' });
    for (let count = 1; count <= 7; count++) await call(id);
    await fixture.operator.get(AiCreditOperatorService).adjust(OPERATOR, {
      customerId: id,
      kind: 'manual_adjustment',
      amountNok: String(cost * 10),
      note: 'Correction',
    });
    for (let count = 8; count <= 15; count++) await call(id);
    expect(await eventsOf(id)).toEqual([]);
    await call(id);
    expect(await typesOf(id)).toEqual(['low']);
  });

  it('tell of a threshold that is passed because the operator deducted credit', async () => {
    const cost = await costOf();
    const id = await saveAiCustomer(fixture.superuser, { model, included: cost * 10, month: '2026-11' });
    for (let count = 1; count <= 7; count++) await call(id);
    const deduct = (amount: number) =>
      fixture.operator.get(AiCreditOperatorService).adjust(OPERATOR, {
        customerId: id,
        kind: 'manual_adjustment',
        amountNok: (-amount).toFixed(12),
        note: 'Correction',
      });
    await deduct(cost / 2);
    expect(await eventsOf(id)).toEqual([]);
    await deduct(cost);
    expect(await eventsOf(id)).toMatchObject([{ type: 'ai.credit.low', threshold: 80 }]);
  });

  it('come again in the next month, which is told, too: by the worker, and by a call', async () => {
    const cost = await costOf();
    const [called, idle] = [
      await saveAiCustomer(fixture.superuser, { model, included: cost * 20, month: '2026-11' }),
      await saveAiCustomer(fixture.superuser, { model, included: 5, month: '2026-11' }),
    ];
    const off = (await saveFakeCustomer(fixture.superuser)).id;
    await enableAi(fixture.superuser, off, { model, included: 5, enabled: false, month: '2026-11' });
    const useUp = async () => {
      while (!((await call(called)) instanceof Error));
    };
    await useUp();
    expect(await typesOf(called)).toEqual(['exhausted', 'low']);
    await fixture.setTime('2026-12-01T12:00:00Z');
    await useUp();
    expect(await typesOf(called, '2026-12')).toEqual(['exhausted', 'low', 'renewed']);
    await fixture.operator.get(AiMaintenanceService).rollMonthsOver();
    expect(await eventsOf(idle)).toMatchObject([{ type: 'ai.credit.renewed', month: '2026-12', usage: 0, limit: 5 }]);
    expect(await typesOf(off)).toEqual([]);
    expect(await eventsOf(called)).toHaveLength(5);
  });

  it('tell of refused calls each customer whose they are, and nobody whose calls are reserved in the same statement', async () => {
    const [exhausted, limited, ...others] = await Promise.all(
      [0, 5, 5, 5, 5].map((included) => saveAiCustomer(fixture.superuser, { model, included, month: '2026-11' })),
    );
    await configure(limited!, { totalLimitNok: '0' });
    const customers = [exhausted!, limited!, ...others];
    const ledger = fixture.engines[0]!.get(CreditLedger);
    const outcomes = await Promise.all(
      customers.map(async (id) => (await ledger.reserve(request(id, { inputTokens: 10, mayShorten: true }))).outcome),
    );
    expect(outcomes).toEqual(['exhausted', 'over_limit', ...others.map(() => 'reserved')]);
    const told = await Promise.all(customers.map((id) => typesOf(id)));
    expect(told).toEqual([['exhausted'], ['exhausted'], ...others.map(() => [])]);
    // A call that comes alone has a statement of its own.
    const alone = others[0]!;
    await configure(alone, { totalLimitNok: '0' });
    expect(await ledger.reserve(request(alone))).toEqual({ outcome: 'over_limit' });
    expect(await typesOf(alone)).toEqual(['exhausted']);
  });

  it.each([
    ['alone', 0],
    ['with those of others in one statement', 2],
  ])('do not tell of a retry whose first try used up the credit, and gets its reply; %s', async (_, count) => {
    const included = 0.1;
    const id = await saveAiCustomer(fixture.superuser, { model, included, month: '2026-11' });
    const others = await Promise.all(
      Array.from({ length: count }, () => saveAiCustomer(fixture.superuser, { model, included: 5, month: '2026-11' })),
    );
    const ledger = fixture.engines[0]!.get(CreditLedger);
    const key = { hash: randomBytes(32), fingerprint: randomBytes(32) };
    const reserve = async (overrides: Parameters<typeof request>[1] = {}) => {
      const calls = [request(id, overrides), ...others.map((other) => request(other))];
      const [result] = await Promise.all(calls.map((call) => ledger.reserve(call)));
      return result!;
    };
    const first = await reserve({ key });
    if (first.outcome !== 'reserved') throw new Error(first.outcome);
    expect(await reserve({ key, maxTokens: 40 })).toEqual({ outcome: 'exhausted' });
    await ledger.settle({
      customerId: id,
      reservationId: first.reservationId,
      usage: usage({ output: 20 }),
      upstreamId: null,
      reply: { secretsKey: 'key', body: Buffer.from('reply') },
    });
    expect(await reserve({ key })).toEqual({ outcome: 'exhausted' });
    expect(await typesOf(id)).toEqual(['low']);
    expect(await reserve()).toEqual({ outcome: 'exhausted' });
    expect(await typesOf(id)).toEqual(['exhausted', 'low']);
  });

  it.each(['free again', 'a day old'])('tell of a refused call whose key is %s', async (state) => {
    const customerId = await saveAiCustomer(fixture.superuser, { model, included: 0.1, month: '2026-11' });
    const ledger = fixture.engines[0]!.get(CreditLedger);
    const key = { hash: randomBytes(32), fingerprint: randomBytes(32) };
    const first = await ledger.reserve(request(customerId, { key }));
    if (first.outcome !== 'reserved') throw new Error(first.outcome);
    const { reservationId } = first;
    if (state === 'a day old') {
      const reply = { secretsKey: 'key', body: Buffer.from('reply') };
      await ledger.settle({ customerId, reservationId, usage: usage({ output: 4 }), upstreamId: null, reply });
      await fixture.setTime('2026-11-21T12:00:00Z');
    } else await ledger.release({ customerId, reservationId, outcome: 'released', reason: 'refused' });
    expect(await ledger.reserve(request(customerId, { key, maxTokens: 40 }))).toEqual({ outcome: 'exhausted' });
    expect(await typesOf(customerId)).toEqual(['exhausted']);
  });

  it('tell nobody who has used nothing, though the limit is nothing, too', async () => {
    const id = await saveAiCustomer(fixture.superuser, { model, included: 0, month: '2026-11' });
    await configure(id, { creditThresholds: [50, 80], totalLimitNok: '0' });
    expect(await eventsOf(id)).toEqual([]);
  });

  it('do not tell of a customer’s first month', async () => {
    const id = await saveAiCustomer(fixture.superuser, { model, included: 5, month: '2026-11' });
    expect(await eventsOf(id)).toEqual([]);
  });
});
