import { randomUUID } from 'node:crypto';
import { NO_TOKEN } from '@domains/ai';
import { saveAiCustomer, saveModelPrice } from '@test/ai-factories';
import { createLedgerFixture, LEDGER_NAMES, type LedgerFixture, request, usage } from '@test/ledger.fixture';

/** What was charged according to receipts, daily sums and ledger, by month, model and token; with all decimals. */
const SUMS = `
  with receipts as (
    select to_char(created_at at time zone 'Europe/Oslo', 'YYYY-MM') as month, model, coalesce(token_id, $2) as token_id, count(*) as calls,
           sum(cost - uncovered) as charged, sum(paid_from_included) as included, sum(uncovered) as uncovered
    from ai_usage where customer_id = $1 group by 1, 2, 3),
  daily as (
    select to_char(day, 'YYYY-MM') as month, model, token_id, sum(calls) as calls,
           sum(paid_from_included + paid_from_purchased) as charged, sum(paid_from_included) as included,
           sum(uncovered) as uncovered
    from ai_usage_day where customer_id = $1 group by 1, 2, 3),
  ledger as (
    select e.month, u.model, coalesce(u.token_id, $2) as token_id, count(distinct e.usage_id) as calls, -sum(e.amount) as charged,
           -coalesce(sum(e.amount) filter (where e.bucket = 'included'), 0) as included
    from ai_ledger_entry e join ai_usage u on u.customer_id = e.customer_id and u.id = e.usage_id
    where e.customer_id = $1 and e.kind = 'usage' group by 1, 2, 3)
  select month, model, token_id, r.calls::int,
         r.charged::text as receipts, d.charged::text as daily, l.charged::text as ledger,
         r.calls is not distinct from d.calls and d.calls is not distinct from l.calls
         and r.charged is not distinct from d.charged and d.charged is not distinct from l.charged
         and r.included is not distinct from d.included and d.included is not distinct from l.included
         and r.uncovered is not distinct from d.uncovered as equal
  from receipts r full join daily d using (month, model, token_id) full join ledger l using (month, model, token_id)
  order by 1, 2, 3`;

interface Sum {
  month: string;
  calls: number;
  receipts: string;
  equal: boolean;
}

/** A rate with six decimals: costs have all twelve. */
const ODD_PRICE = {
  input: '1000.000001',
  write5m: '1250.000003',
  write1h: '2000.000007',
  read: '100.000009',
  output: '5000.000011',
};

describe.each(LEDGER_NAMES)('receipts, daily sums and ledger, %s', (name) => {
  let fixture: LedgerFixture;
  beforeAll(async () => (fixture = await createLedgerFixture({}, name)));
  afterAll(() => fixture.close());

  it('add up under load over the turns of months and of a year, per model and token', async () => {
    const model = await saveModelPrice(fixture.superuser, ODD_PRICE);
    const tokens = [randomUUID(), randomUUID()];
    const customerId = await saveAiCustomer(fixture.superuser, {
      model,
      month: '2025-11',
      included: 2,
      purchased: 500,
    });
    let late = 0;
    let uncovered = 0;
    // Calls are reserved before each of these moments, and settled at it: some over the turn of a month.
    const moments = [
      '2025-11-30T22:59:59Z',
      '2025-11-30T23:00:00Z',
      '2025-12-31T22:59:59.999Z',
      '2025-12-31T23:00:00Z',
      '2026-01-31T23:00:01Z',
    ];
    let open: ReturnType<typeof request>[] = [];
    for (const [round, moment] of moments.entries()) {
      await fixture.setTime(moment);
      // The operator changes the model: a call keeps the one that it was reserved with.
      await fixture.superuser.query('update ai_settings set model = $2 where customer_id = $1', [
        customerId,
        round % 2 ? fixture.model : model,
      ]);
      const fresh = Array.from({ length: 40 }, (_, call) =>
        request(customerId, { inputTokens: 30, maxTokens: 20, tokenId: tokens[call % 3] ?? null }),
      );
      await Promise.all(fresh.map((call, index) => fixture.ledger(index).reserve(call)));
      const results = await Promise.all(
        [...open, ...fresh.splice(0, 25)].map((call, index) =>
          fixture.ledger(index).settle({
            customerId,
            reservationId: call.reservationId,
            // Some cost nothing, and some more than was reserved for them.
            usage:
              index % 10 === 0
                ? usage({})
                : usage({ input: 1 + (index % 30), cacheRead: index % 7, output: index % 9 === 0 ? 90 : index % 20 }),
            upstreamId: null,
          }),
        ),
      );
      late += results.filter((result) => result.late).length;
      uncovered += results.filter((result) => Number(result.uncovered) > 0).length;
      open = fresh;
      // Some of those that go on are given up before their answer comes.
      if (round === 1) {
        await fixture.setTime('2025-12-10T12:00:00Z');
        await fixture.superuser.query('select app.ai_resolve_abandoned($1)', [customerId]);
      }
    }
    const { rows } = await fixture.superuser.query<Sum>(SUMS, [customerId, NO_TOKEN]);
    expect(rows.filter(({ equal }) => !equal)).toEqual([]);
    expect(new Set(rows.map(({ month }) => month))).toEqual(new Set(['2025-11', '2025-12', '2026-01', '2026-02']));
    expect(rows.reduce((sum, { calls }) => sum + calls, 0)).toBe(5 * 25 + 4 * 15);
    expect(rows.some(({ receipts }) => !receipts.endsWith('000000'))).toBe(true);
    expect([late > 0, uncovered > 0]).toEqual([true, true]);
    expect(await fixture.problems(customerId)).toEqual([]);
  });
});
