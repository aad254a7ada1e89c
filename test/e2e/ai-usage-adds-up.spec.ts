import { Decimal } from 'decimal.js';
import { LEDGER_KINDS } from '@domains/ai';
import { Metrics } from '@platform/metrics';
import { shortDecimal } from '@platform/money';
import { type AiApi, createAiCaller, startAiApi } from '@test/ai-api';
import { saveModelPrice } from '@test/ai-factories';
import { CreditHistory, type Step } from '@test/credit-history';
import { asRecord, parseCsv, readAllPages, readCsv } from '@test/csv-lists';
import { setDatabaseClock } from '@test/database-clock';
import { saveFakeToken } from '@test/factories/service-token.factory';
import { startOperatorApi, type TestOperatorApi } from '@test/operator-api';
import { operatorCommand } from '@test/operator-command';

/** Where midnight of 1 November 2026 is there twice. */
const ZONE = { BILLING_TIMEZONE: 'America/Havana' };
/**
 * Around the turns of a month and of a year, in the billing time zone. The clock stands, but ids go on within a transaction: before a
 * turn there is time for one on a slow machine.
 */
const MOMENTS = ['2026-11-01T03:59:50Z', '2026-11-01T04:00:00Z', '2027-01-01T04:59:50Z', '2027-01-01T05:00:00Z'];
const DAYS = 'from=2026-10-01&to=2027-01-31';
const CALLS = 24;
const AT_ONCE = 6;
/** Input as the provider counts it: uncached, written to its cache for 5 minutes or an hour, and read from it. */
const INPUTS = [
  {},
  { cache_control: { type: 'ephemeral' } },
  { cache_control: { type: 'ephemeral', ttl: '1h' } },
  { directive: '[[sandbox:cache=read]]', cache_control: { type: 'ephemeral' } },
];
const TOKENS = ['input_tokens', 'output_tokens', 'cache_write_5m_tokens', 'cache_write_1h_tokens', 'cache_read_tokens'];

/** One whose history has entries and events of every kind; `ACCEPT_HISTORIES` makes more of them. */
const FIRST_SEED = 3;
const SEEDS = Array.from({ length: Number(process.env.ACCEPT_HISTORIES ?? 1) }, (_, count) => FIRST_SEED + count);
const STEPS = 40;

/** Rates with six decimals: costs have all twelve. */
const PRICE = { input: '1000.000001', write5m: '1250.000003', write1h: '2000', read: '100', output: '5000.000011' };

type Row = Record<string, unknown>;

describe('receipts, their sums and the ledger, as customers read them', () => {
  let ai: AiApi;
  beforeAll(async () => (ai = await startAiApi({ ...ZONE, OPERATOR_PORT: '0' })));
  afterAll(async () => {
    await setDatabaseClock(ai.api.superuser, 'right');
    await ai.stop();
  });

  it('add up to the last decimal under load over the turns of a month and a year, as JSON and as CSV', async () => {
    const { superuser, baseUrl } = ai.api;
    await setDatabaseClock(superuser, { standsAt: MOMENTS[0] ?? '' });
    const me = await createAiCaller(ai, { included: 0.5, purchased: 100, month: '2026-10' });
    const second = await saveFakeToken(superuser, me.customer.id, { name: 'second' });
    const models = [ai.model, await saveModelPrice(superuser, PRICE)];
    const send = async (call: number) => {
      const token = call % 3 ? me.token.token : second.token;
      const { directive = '', ...cached } = INPUTS[(call >> 1) % INPUTS.length] ?? {};
      const content = [{ type: 'text', text: `Message ${call} ${directive}`, ...cached }];
      const body = { max_tokens: 40, stream: call % 2 === 0, messages: [{ role: 'user', content }] };
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
    const amounts = ['cost', 'paid_from_included', 'paid_from_purchased', ...TOKENS];
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
      ['2026-12', CALLS],
      ['2026-11', CALLS],
      ['2026-10', CALLS],
    ]);
    for (const [month, days] of [
      ['2027-01', 'from=2027-01-01&to=2027-01-31'],
      ['2026-12', 'from=2026-12-01&to=2026-12-31'],
      ['2026-11', 'from=2026-11-01&to=2026-11-30'],
      ['2026-10', 'from=2026-10-01&to=2026-10-31'],
    ]) {
      const booked = total(await readAllPages(me.call, `/ai/ledger?kind=usage&${days}`), 'amount');
      const [spent] = totals(
        months.filter((sum) => sum.month === month),
        ['cost'],
      );
      expect([month, booked.neg().toFixed()]).toEqual([month, spent]);
    }
  }, 240_000);

  describe('and everything else that states them', () => {
    let operatorApi: TestOperatorApi;
    beforeAll(async () => (operatorApi = await startOperatorApi({}, ai.api.database)));
    afterAll(() => operatorApi.stop());

    it.each(SEEDS)(
      'say the same after each step of months that are made at random: seed %i',
      async (seed) => {
        const models = [await saveModelPrice(ai.api.superuser, PRICE), await saveModelPrice(ai.api.superuser)];
        const history = await CreditHistory.begin(ai, operatorApi, models, seed);
        const charged = await metricOf(ai, 'ai_charged_nok_total');
        await history.newEvents();
        for (let count = 1; count <= STEPS || !history.isInLastMonth; count++) {
          const step = await history.step();
          await expectAgreement(history, step, count);
        }
        const entries = await inBothForms(history.me.call, '/ai/ledger');
        const spent = total(
          entries.filter(({ kind }) => kind === 'usage'),
          'amount',
        ).neg();
        expect((await metricOf(ai, 'ai_charged_nok_total')) - charged).toBeCloseTo(spent.toNumber(), 6);
        await expectSameRecords(history, entries);
        await expectSameMonths(history, entries);
        if (seed !== FIRST_SEED) return;
        expect(new Set(entries.map(({ kind }) => kind))).toEqual(new Set(LEDGER_KINDS));
        expect(new Set(history.tellings.map(({ type }) => type)).size).toBe(3);
      },
      240_000,
    );
  });
});

/** What customer and operator read after a step, in which the ledger ends with it, and what the step's events tell. */
async function expectAgreement(
  history: CreditHistory,
  { name, before, beforeOfOperator, exact }: Step,
  count: number,
): Promise<void> {
  const about = `step ${count}, ${name}`;
  const status = await history.status();
  const { included_credit_remaining, purchased_credit } = status;
  expect({ about, ...before, ...beforeOfOperator }).toEqual({ about, ...before });
  expect({ about, ...status, ...(await history.statusOfOperator()) }).toEqual({ about, ...status });
  const { included, purchased, month } = await history.balancesByLedger();
  // An account whose month no call has begun is shown as if one had.
  if (month === status.month)
    expect({ about, included, purchased }).toEqual({
      about,
      included: included_credit_remaining,
      purchased: purchased_credit,
    });
  if (name === 'turn') expect({ about, ...status }).toEqual({ about, ...before });
  for (const event of await history.newEvents()) {
    const told = event.type === 'ai.credit.renewed' ? before : status;
    if (exact) expect({ about, ...event }).toEqual({ about, ...event, status: told });
  }
  const [usage, limit] = [new Decimal(status.current_month_usage!), new Decimal(status.current_month_limit!)];
  const passed = history.thresholds.filter((percent) => usage.gt(0) && usage.times(100).gte(limit.times(percent)));
  expect({ about, told: history.told(status.month!) }).toEqual({ about, told: expect.arrayContaining(passed) });
}

const ENTRY = [
  'sequence',
  'created_at',
  'kind',
  'bucket',
  'amount',
  'balance_after',
  'month',
  'usage_id',
  'invoice_id',
];

/** Each list, as customer and operator read it, in each form. */
async function expectSameRecords({ ai, me, read }: CreditHistory, entries: Row[]): Promise<void> {
  const receipts = await inBothForms(me.call, '/ai/usage');
  const ledger = (await read(`/ai/ledger?customer_id=${me.customer.id}&limit=200`)) as { data: Row[]; total: number };
  expect(ledger.total).toBe(entries.length);
  expect(ledger.data).toEqual(entries.slice(0, 200).map((entry) => ({ ...entry, actor: expect.any(String) })));
  const usage = (await read(`/ai/usage?customer_id=${me.customer.id}&limit=200`)) as { data: Row[]; total: number };
  expect(usage.total).toBe(receipts.length);
  const amounts = ({ id, cost, ...receipt }: Row): Row => ({
    id,
    charged: cost,
    ...pick(receipt, ['paid_from_included', 'paid_from_purchased', 'uncovered']),
  });
  expect(usage.data).toMatchObject(receipts.slice(0, 200).map(amounts));
  const november = 'from=2026-11-01&to=2026-11-30';
  for (const path of [
    'ledger?kind=usage',
    `ledger?${november}`,
    `usage?${november}`,
    `usage?model=${String(receipts[0]?.model)}`,
  ]) {
    const own = await readAllPages(me.call, `/ai/${path}`);
    const { data, total: counted } = (await read(
      `/ai/${path}&customer_id=${me.customer.id}&limit=200`,
    )) as typeof usage;
    expect([path, data.length, counted]).toEqual([path, own.length, own.length]);
    expect(own.length).toBeGreaterThan(0);
  }
  const command = async (noun: string) => {
    const { stdout } = await run(ai, `ai ${noun} --customer ${me.customer.id} --csv`);
    const [head = [], ...rows] = parseCsv(stdout.replace('\uFEFF', ''));
    return rows.map((cells) => Object.fromEntries(cells.map((cell, index) => [head[index] ?? '', cell])));
  };
  expect((await command('ledger')).map((row) => pick(row, ENTRY))).toEqual(
    entries.map((entry) => pick(asRecord(entry), ENTRY)),
  );
  expect(await command('usage')).toMatchObject(receipts.map((receipt) => asRecord(amounts(receipt))));
  // Credit was bought for what was invoiced.
  for (const { amount, credit_request_id, invoice_id } of entries.filter(({ kind }) => kind === 'invoice_topup')) {
    const request = (await (await me.call(`/ai/credit-requests/${String(credit_request_id)}`)).json()) as Row;
    const invoice = (await (await me.call(`/invoices/${String(invoice_id)}`)).json()) as Row;
    expect([request.amount_nok, request.invoice_id, invoice.amount]).toEqual([
      Number(amount),
      invoice_id,
      Number(amount),
    ]);
  }
}

/** The sums of each month: of the ledger, the receipts, and the operator's accounting; and nothing that the verification finds. */
async function expectSameMonths({ ai, me, read }: CreditHistory, entries: Row[]): Promise<void> {
  const { id } = me.customer;
  const months = [...new Set(entries.map(({ month }) => String(month)))];
  const sums = await inBothForms(me.call, `/ai/usage/summary?group_by=month&${DAYS}`);
  const operators = (await read(`/ai/usage/summary?customer_id=${id}&group_by=month&${DAYS}`)) as { data: Row[] };
  expect(operators.data.map(({ key, charged }) => [key, charged])).toEqual(
    sums.map(({ month, cost }) => [month, cost]),
  );
  const ofToken = (await read(`/ai/usage/summary?customer_id=${id}&group_by=token&${DAYS}`)) as { data: Row[] };
  expect(ofToken.data).toMatchObject([{ key: me.token.id, charged: total(sums, 'cost').toFixed() }]);
  const overview = await read(`/customers/${id}/overview`);
  const { month_usage_nok: usage } = overview.ai as Row;
  for (const days of [overview.usage_by_day, overview.usage_by_model])
    expect(total(days as Row[], 'charged').toFixed()).toBe(String(usage));
  const shown = JSON.parse((await run(ai, `ai show --customer ${id} --json`)).stdout) as Record<string, string>;
  expect(shortDecimal(shown.month_usage_nok ?? '')).toBe(String(usage));
  for (const month of months) {
    const of = (kind: string, bucket?: string) =>
      total(
        entries.filter(
          (entry) => entry.month === month && entry.kind === kind && (bucket ?? entry.bucket) === entry.bucket,
        ),
        'amount',
      );
    const booked = {
      ...{ topped_up: of('invoice_topup'), refunded: of('refund'), adjusted: of('manual_adjustment') },
      ...{ used_purchased: of('usage', 'purchased').neg(), used_included: of('usage', 'included').neg() },
      ...{ granted: of('monthly_included'), expired: of('expiry').neg() },
    };
    const expected = Object.fromEntries(Object.entries(booked).map(([name, sum]) => [name, sum.plus(0).toFixed()]));
    const [accounted] = ((await read(`/ai/accounting?month=${month}&customer_id=${id}`)) as { data: Row[] }).data;
    const texts = Object.fromEntries(Object.entries(accounted ?? {}).map(([name, value]) => [name, String(value)]));
    expect({ month, ...pick(texts, Object.keys(expected)) }).toEqual({ month, ...expected });
    const [printed] = JSON.parse(
      (await run(ai, `ai accounting --month ${month} --customer ${id} --json`)).stdout,
    ) as Row[];
    const short = Object.keys(expected).map((name) => [name, shortDecimal(String(printed?.[name]))]);
    expect({ month, ...Object.fromEntries(short) }).toEqual({ month, ...expected });
    const spent = total(
      sums.filter((sum) => sum.month === month),
      'cost',
    );
    expect([month, spent.toFixed()]).toEqual([month, booked.used_purchased.plus(booked.used_included).toFixed()]);
  }
  expect(await read(`/ai/verification?customer_id=${id}`)).toEqual({ accounts: 1, problems: [] });
}

async function run(ai: AiApi, line: string) {
  const result = await operatorCommand(ai.api.database, line.split(' '), { environment: ZONE });
  expect(result).toMatchObject({ code: 0 });
  return result;
}

async function metricOf({ api }: AiApi, name: string): Promise<number> {
  const [, value] = new RegExp(`^${name} (\\S+)$`, 'm').exec(await api.app.get(Metrics).text()) ?? [];
  return Number(value);
}

function pick<Value>(fields: Record<string, Value>, names: string[]): Record<string, Value> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)));
}

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
