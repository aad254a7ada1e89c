import { saveAiCustomer, saveModelPrice } from '@test/ai-factories';
import { tableRows } from '@test/documents/tables';
import { createLedgerFixture, type LedgerFixture, request, usage } from '@test/ledger.fixture';

const PAGE = 'docs/ai-credit.md';
const rows = tableRows(PAGE);

/** Balances that the page shows after each step, by its number. */
const steps = new Map(
  rows
    .filter(({ length, 0: step = '' }) => length === 6 && /^\d+$/.test(step))
    .map(([step, , ...balances]) => [Number(step), balances]),
);
const entries = rows
  .filter(([kind = '', bucket]) => kind.startsWith('`') && (bucket === 'included' || bucket === 'purchased'))
  .map(([kind = '', bucket, amount]) => [kind.replaceAll('`', ''), bucket, amount]);

describe('the example of the AI ledger', () => {
  let fixture: LedgerFixture;
  beforeAll(async () => (fixture = await createLedgerFixture()));
  afterAll(() => fixture.close());

  it('is what the ledger does', async () => {
    const price = { input: '10', write5m: '12.5', write1h: '20', read: '1', output: '50' };
    expect(rows).toContainEqual([price.input, price.write5m, price.write1h, price.read, price.output]);
    const model = await saveModelPrice(fixture.superuser, price);
    const ledger = fixture.ledger();
    const seen = new Set<number>();
    const shows = async (step: number) => {
      const { included, purchased, reserved } = await fixture.account(customerId);
      const [a, b, c] = [included, purchased, reserved].map(Number) as [number, number, number];
      expect([step, ...[a, b, c, a + b - c].map((nok) => nok.toFixed(3))]).toEqual([step, ...(steps.get(step) ?? [])]);
      seen.add(step);
    };
    const reserve = async (inputTokens: number, maxTokens: number) => {
      const wish = request(customerId, { inputTokens, maxTokens, leastTokens: 256 });
      const result = await ledger.reserve(wish);
      return { id: wish.reservationId, result };
    };
    const settle = (reservationId: string, tokens: Parameters<typeof usage>[0]) =>
      ledger.settle({ customerId, reservationId, usage: usage(tokens), upstreamId: null });

    await fixture.setTime('2026-11-15T12:00:00Z');
    const customerId = await saveAiCustomer(fixture.superuser, { model, month: '2026-11', included: 1, purchased: 2 });
    await shows(1);
    const a = await reserve(20_000, 10_000);
    await shows(2);
    const b = await reserve(40_000, 16_000);
    await shows(3);
    const c = await reserve(50_000, 20_000);
    expect(c.result).toMatchObject({ outcome: 'reserved', maxTokens: 12_000 });
    await shows(4);
    await settle(a.id, { input: 10_000, cacheRead: 2_000, output: 6_000 });
    await shows(5);
    await settle(b.id, { input: 40_000, output: 16_000 });
    await shows(6);
    await ledger.release({ customerId, reservationId: c.id, outcome: 'released', reason: 'upstream 529' });
    await shows(7);

    const rollOver = (month: string) =>
      fixture.superuser.query('select app.ai_roll_over($1, $2, app.now())', [customerId, month]);
    await fixture.setTime('2026-12-01T12:00:00Z');
    await rollOver('2026-12');
    await shows(8);
    await fixture.setTime('2026-12-31T22:59:00Z');
    const d = await reserve(20_000, 10_000);
    await shows(9);
    await fixture.setTime('2026-12-31T23:00:05Z');
    await rollOver('2027-01');
    await shows(10);
    await settle(d.id, { input: 10_000, cacheRead: 2_000, output: 6_000 });
    await shows(11);

    const written = (await fixture.entries(customerId)).map(({ kind, bucket, amount }) => [
      kind,
      bucket,
      amount.toFixed(3),
    ]);
    expect(written).toEqual(entries);
    expect([...seen]).toEqual([...steps.keys()]);
    expect(await fixture.problems(customerId)).toEqual([]);
  });
});
