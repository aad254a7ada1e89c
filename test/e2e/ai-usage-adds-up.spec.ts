import { Decimal } from 'decimal.js';
import { type AiApi, createAiCaller, startAiApi } from '@test/ai-api';
import { saveModelPrice } from '@test/ai-factories';
import { asRecord, readAllPages, readCsv } from '@test/csv-lists';
import { setDatabaseClock } from '@test/database-clock';
import { saveFakeToken } from '@test/factories/service-token.factory';

/** Around the turns of a month and of a year, in the billing time zone. */
/** The clock stands, but ids go on within a transaction: before a turn there is time for one on a slow machine. */
const MOMENTS = ['2026-11-30T22:59:50Z', '2026-11-30T23:00:00Z', '2026-12-31T22:59:50Z', '2026-12-31T23:00:00Z'];
const DAYS = 'from=2026-11-01&to=2027-01-31';
const CALLS = 24;
const AT_ONCE = 6;

/** Rates with six decimals: costs have all twelve. */
const PRICE = { input: '1000.000001', write5m: '1250.000003', write1h: '2000', read: '100', output: '5000.000011' };

type Row = Record<string, unknown>;

describe('receipts, their sums and the ledger, as customers read them', () => {
  let ai: AiApi;
  beforeAll(async () => (ai = await startAiApi()));
  afterAll(async () => {
    await setDatabaseClock(ai.api.superuser, 'right');
    await ai.stop();
  });

  it('add up to the last decimal under load over the turns of a month and a year, as JSON and as CSV', async () => {
    const { superuser, baseUrl } = ai.api;
    const me = await createAiCaller(ai, { included: 0.5, purchased: 100, month: '2026-11' });
    const second = await saveFakeToken(superuser, me.customer.id, { name: 'second' });
    const models = [ai.model, await saveModelPrice(superuser, PRICE)];
    const send = async (call: number) => {
      const token = call % 3 ? me.token.token : second.token;
      const body = { max_tokens: 40, stream: call % 2 === 0, messages: [{ role: 'user', content: `Message ${call}` }] };
      const reply = await fetch(`${baseUrl}/ai/v1/messages`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      await reply.text();
      return reply.status;
    };
    for (const [round, moment] of MOMENTS.entries()) {
      await setDatabaseClock(superuser, { standsAt: moment });
      await superuser.query('update ai_settings set model = $2 where customer_id = $1', [
        me.customer.id,
        models[round % 2],
      ]);
      const lanes = Array.from({ length: AT_ONCE }, async (_, lane) => {
        for (let call = lane; call < CALLS; call += AT_ONCE) expect(await send(call)).toBe(200);
      });
      // Somebody reads all the time: at every moment the sums are those of the receipts that a later reading has.
      const readers = Array.from({ length: 4 }, async () => {
        const before = total(await readAllPages(me.call, `/ai/usage/summary?${DAYS}`), 'cost');
        expect(total(await readAllPages(me.call, '/ai/usage'), 'cost').gte(before)).toBe(true);
      });
      await Promise.all([...lanes, ...readers]);
    }

    const receipts = await inBothForms(me.call, `/ai/usage?${DAYS}`);
    const entries = await inBothForms(me.call, `/ai/ledger?kind=usage&${DAYS}`);
    expect(receipts).toHaveLength(MOMENTS.length * CALLS);
    const amounts = ['cost', 'paid_from_included', 'paid_from_purchased'];
    const expected = totals(receipts, amounts);
    expect(expected[0]).toMatch(/\.\d{7,12}$/);
    expect(expected.filter((amount) => Number(amount) <= 0)).toEqual([]);
    expect(total(entries, 'amount').neg().toFixed()).toBe(expected[0]);
    for (const group of ['day', 'month', 'model', 'token']) {
      const sums = await inBothForms(me.call, `/ai/usage/summary?group_by=${group}&${DAYS}`);
      expect(totals(sums, amounts)).toEqual(expected);
      expect(total(sums, 'calls').toNumber()).toBe(receipts.length);
      // Group by group: the receipts and the entries of the same month, model or token.
      for (const sum of sums) {
        const of = await readAllPages(me.call, `/ai/usage?${filterOf(group, sum)}`);
        expect([group, sum[group], totals(of, amounts)]).toEqual([group, sum[group], totals([sum], amounts)]);
      }
    }
    const months = await readAllPages(me.call, `/ai/usage/summary?group_by=month&${DAYS}`);
    expect(months.map(({ month, calls }) => [month, calls])).toEqual([
      ['2027-01', CALLS],
      ['2026-12', 2 * CALLS],
      ['2026-11', CALLS],
    ]);
    for (const [month, days] of [
      ['2027-01', 'from=2027-01-01&to=2027-01-31'],
      ['2026-12', 'from=2026-12-01&to=2026-12-31'],
      ['2026-11', 'from=2026-11-01&to=2026-11-30'],
    ]) {
      const booked = total(await readAllPages(me.call, `/ai/ledger?kind=usage&${days}`), 'amount');
      const [spent] = totals(
        months.filter((sum) => sum.month === month),
        ['cost'],
      );
      expect([month, booked.neg().toFixed()]).toEqual([month, spent]);
    }
  }, 120_000);
});

/** A list's rows, after they were compared with those of its CSV. */
async function inBothForms(call: Parameters<typeof readCsv>[0], path: string): Promise<Row[]> {
  const rows = await readAllPages(call, path, 50);
  expect(await readCsv(call, path)).toEqual(rows.map((row) => asRecord(row)));
  return rows;
}

function total(rows: Row[], name: string): Decimal {
  return rows.reduce((sum, row) => sum.plus(String(row[name])), new Decimal(0));
}

function totals(rows: Row[], names: string[]): string[] {
  return names.map((name) => total(rows, name).toFixed());
}

/** What asks for the receipts of a group. */
function filterOf(group: string, sum: Row): string {
  if (group === 'model') return `${DAYS}&model=${String(sum.model)}`;
  if (group === 'token') return `${DAYS}&token_id=${(sum.token as { id: string }).id}`;
  const [from, to] = group === 'day' ? [sum.day, sum.day] : [`${String(sum.month)}-01`, lastDay(String(sum.month))];
  return `from=${String(from)}&to=${String(to)}`;
}

function lastDay(month: string): string {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number, 0)).toISOString().slice(0, 10);
}
