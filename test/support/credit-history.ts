import { en, Faker } from '@faker-js/faker';
import { Decimal } from 'decimal.js';
import { type AiApi, createAiCaller } from './ai-api';
import { parseExactly } from './csv-lists';
import { setDatabaseClock } from './database-clock';
import { logIn, type TestOperator, type TestOperatorApi } from './operator-api';
import { until } from './until';

const BEGINNING = Date.parse('2026-10-28T12:00:00Z');
/** Turns of months in America/Havana, whose clocks go back an hour into 1 November 2026: its midnight is there twice. */
const MONTHS = ['2026-11-01T04:00:00Z', '2026-11-01T05:00:00Z', '2026-12-01T05:00:00Z', '2027-01-01T05:00:00Z'];
const MINUTE_MS = 60_000;

/** The fields of an AI status; amounts as texts. */
type Status = Record<string, string>;

/** An event about credit, with the status of which it tells. */
interface CreditEvent {
  type: string;
  threshold: number | null;
  status: Status;
}

/** A step, with the status before it; exact: one change of the credit at most, so that its events tell of the status before or after it. */
export interface Step {
  name: string;
  before: Status;
  /** As the operator reads it, with the fields that it has. */
  beforeOfOperator: Status;
  exact: boolean;
}

/**
 * Random months of a customer's AI credit, over HTTP: messages, streams, failures, calls in progress, and everything that the operator
 * can change meanwhile. The same for the same seed.
 */
export class CreditHistory {
  private now = BEGINNING;
  thresholds = [80];
  private readonly random: Faker;
  private readonly turns = [...MONTHS];
  private readonly seen: string[] = [];
  readonly tellings: CreditEvent[] = [];

  private constructor(
    readonly ai: AiApi,
    readonly operatorApi: TestOperatorApi,
    readonly me: Awaited<ReturnType<typeof createAiCaller>>,
    private readonly models: string[],
    seed: number,
    public operator: TestOperator,
  ) {
    this.random = new Faker({ locale: [en], seed });
  }

  static async begin(ai: AiApi, operatorApi: TestOperatorApi, models: string[], seed: number): Promise<CreditHistory> {
    await setDatabaseClock(ai.api.superuser, { standsAt: new Date(BEGINNING) });
    const me = await createAiCaller(ai, { included: 4, month: '2026-10' });
    return new CreditHistory(ai, operatorApi, me, models, seed, await logIn(operatorApi, 'admin'));
  }

  /** Whether the history has come to its last month. */
  get isInLastMonth(): boolean {
    return this.turns.length === 0;
  }

  /** The status as the customer reads it. */
  async status(): Promise<Status> {
    const { ai } = parseExactly(await textOf(this.me.call('/ai'), 200)) as { ai: Record<string, unknown> };
    return texts(ai);
  }

  /** The status as the operator reads it, in the names that the customer's has. */
  async statusOfOperator(): Promise<Status> {
    const { id, customerNumber } = this.me.customer;
    const settings = texts(await this.read(`/customers/${id}/ai`));
    const { data } = (await this.read(`/customers?search=${customerNumber}`)) as { data: Record<string, unknown>[] };
    expect(String(data[0]?.ai_spent_this_month_nok)).toBe(settings.month_usage_nok);
    return {
      ...{ enabled: settings.enabled!, month: settings.month!, current_month_usage: settings.month_usage_nok! },
      ...{ included_credit_remaining: settings.included_nok!, purchased_credit: settings.purchased_nok! },
      reserved_credit: settings.reserved_nok!,
    };
  }

  /** A page of the operator's, whose amounts with decimals are texts. */
  readonly read = async (path: string): Promise<Record<string, unknown>> =>
    parseExactly(await textOf(this.operator.call(path), 200)) as Record<string, unknown>;

  /** The balances with which the ledger ends, and the month that the account has begun. */
  async balancesByLedger(): Promise<{ included: string; purchased: string; month: string | undefined }> {
    const reply = await textOf(this.me.call('/ai/ledger?limit=200'), 200);
    const { data } = parseExactly(reply) as { data: { bucket: string; balance_after: string | number }[] };
    const last = (bucket: string) => String(data.find((entry) => entry.bucket === bucket)?.balance_after ?? 0);
    const { rows } = await this.ai.api.superuser.query<{ month: string }>(
      'select month from ai_account where customer_id = $1',
      [this.me.customer.id],
    );
    return { included: last('included'), purchased: last('purchased'), month: rows[0]?.month };
  }

  /** The thresholds of a month of which the customer was told. */
  told(month: string): number[] {
    return this.tellings.filter((event) => event.status.month === month).map(({ threshold }) => threshold ?? 100);
  }

  /** The events about credit that were written since this was last asked. */
  async newEvents(): Promise<CreditEvent[]> {
    const { rows } = await this.ai.api.superuser.query<{ id: string; type: string; record: Record<string, unknown> }>(
      `select id, type, record from event where customer_id = $1 and type like 'ai.credit.%' and id <> all ($2)`,
      [this.me.customer.id, this.seen],
    );
    this.seen.push(...rows.map(({ id }) => id));
    const events = rows.map(({ type, record: { threshold, ...record } }) => ({
      type,
      threshold: threshold as number | null,
      status: Object.fromEntries(
        Object.entries(record).map(([name, value]) => [
          name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
          /^\d+\.\d+$/.test(String(value)) ? new Decimal(String(value)).toFixed() : String(value),
        ]),
      ),
    }));
    this.tellings.push(...events);
    return events;
  }

  /** A random step, some minutes after the one before, or behind the turn of a month. */
  async step(): Promise<Step> {
    const turns = this.random.number.int({ max: 9 }) === 0;
    await this.passTime(turns);
    const steps = {
      message: () => this.message(),
      stream: () => this.message({ stream: true }),
      failure: () => this.message({ directive: '[[sandbox:status=400]]' }),
      operator: () => this.change(),
      // The operator's change to what is set already begins the month where no call has.
      ...(turns && { turn: () => this.configure({ credit_thresholds: this.thresholds }) }),
    };
    const inProgress = this.random.number.int({ max: 7 }) === 0;
    const name = this.random.helpers.arrayElement([
      ...['message', 'message', 'stream', 'failure', 'operator', 'operator'],
      ...(turns ? ['turn', 'turn', 'turn'] : []),
    ]) as keyof typeof steps;
    const [before, beforeOfOperator] = [await this.status(), await this.statusOfOperator()];
    if (inProgress) await this.inProgress();
    else await steps[name]?.();
    return { name: inProgress ? 'in progress' : name, before, beforeOfOperator, exact: !inProgress };
  }

  /** Sends a message. Its headers are true, and a repetition under its key has the same charge. */
  private async message({ stream = false, directive = '', alone = true } = {}): Promise<void> {
    const [size, wanted] = [this.int(1, 400), this.int(1, 120)];
    // Now and then the provider counts more than it was to, or has read or written its cache.
    const counted = this.int(0, 9) === 0 ? `[[sandbox:usage={"output_tokens":${this.int(100, 300)}}]]` : '';
    const text = `${'x'.repeat(size)} [[sandbox:output-tokens=${wanted}]] ${counted} ${directive}`;
    const cached = this.int(0, 3) === 0 && { cache_control: { type: 'ephemeral', ttl: '1h' } };
    const body = {
      max_tokens: this.int(1, 120),
      stream,
      messages: [{ role: 'user', content: [{ type: 'text', text, ...cached }] }],
    };
    const headers = { 'idempotency-key': this.random.string.uuid() };
    const send = () => this.me.post('/ai/v1/messages', body, { headers });
    const reply = await send();
    await reply.text();
    const id = reply.headers.get('x-ai-usage-id');
    expect(directive ? [400, 402, 403] : [200, 402, 403]).toContain(reply.status);
    if (reply.status !== 200 || id === null) return;
    const { cost } = parseExactly(await textOf(this.me.call(`/ai/usage/${id}`), 200)) as { cost: unknown };
    if (!stream) expect(reply.headers.get('x-ai-cost')).toBe(String(cost));
    if (!alone) return;
    if (!stream) expect(reply.headers.get('x-ai-credit-remaining')).toBe((await this.status()).total_available_credit);
    const again = await send();
    await again.text();
    expect([again.headers.get('x-ai-usage-id'), again.headers.get('x-ai-cost')]).toEqual([id, String(cost)]);
  }

  /** Calls in progress, while the operator changes something and a month may end; some are given up before they are answered. */
  private async inProgress(): Promise<void> {
    const { messages } = this.ai.sandbox;
    const before = messages.total;
    const gate = messages.hold();
    const count = this.int(1, 3);
    let ended = 0;
    const calls = Array.from({ length: count }, () =>
      this.message({ stream: this.int(0, 1) === 0, alone: false }).finally(() => ended++),
    );
    await until(() => messages.total - before + ended >= count);
    await this.change();
    await this.passTime(this.int(0, 1) === 0);
    if (this.int(0, 1) === 0) await this.change();
    if (this.int(0, 2) === 0)
      await this.ai.api.superuser.query('select app.ai_resolve_abandoned($1)', [this.me.customer.id]);
    gate.open();
    await Promise.all(calls);
  }

  /** A change of the operator's. */
  private async change(): Promise<void> {
    const { id } = this.me.customer;
    const amount = (least: number, most: number, digits = 2) =>
      this.random.number.float({ min: least, max: most, fractionDigits: digits });
    const changes = [
      () => this.configure({ included_nok: amount(0, 6) }),
      () => this.configure({ monthly_limit_nok: this.int(0, 1) ? amount(0, 4) : null }),
      () => this.configure({ total_limit_nok: this.int(0, 1) ? amount(0, 8) : null }),
      () => this.configure({ enabled: this.int(0, 3) > 0 }),
      () => this.configure({ model: this.random.helpers.arrayElement(this.models) }),
      async () => {
        const thresholds = this.int(0, 1) ? [this.int(1, 40), this.int(41, 99)] : null;
        await this.configure({ credit_thresholds: thresholds });
        this.thresholds = thresholds ?? [80];
      },
      async () => {
        const sum = amount(0.000000000001, 2, 12).toFixed(12);
        await this.posted(`/customers/${id}/ai/credit`, { kind: 'refund', amount_nok: sum, note: 'Refund' }, [201]);
      },
      async () => {
        // Nearly all that there is, or more: that is refused.
        const { total_available_credit: total = '0' } = await this.status();
        const sum = new Decimal(total)
          .times(amount(0.5, 1.1, 6))
          .neg()
          .toFixed(12);
        await this.posted(
          `/customers/${id}/ai/credit`,
          { kind: 'manual_adjustment', amount_nok: sum, note: 'Correction' },
          [201, 400],
        );
      },
      async () => {
        const rate = (most: number) => amount(0, most, 6).toFixed(6);
        const rates = { input: rate(2000), output: rate(9000), cache_write_1h: rate(4000) };
        await this.posted('/prices', { model: this.random.helpers.arrayElement(this.models), ...rates }, [201]);
      },
      () => this.topUp(amount(100, 50_000)),
    ];
    await this.random.helpers.arrayElement(changes)();
  }

  /** The customer asks for credit, and gets it with an invoice. */
  private async topUp(amount: number): Promise<void> {
    const asked = await this.me.post('/ai/credit-requests', { amount_nok: amount });
    const { id } = (await asked.json()) as { id: number };
    if (asked.status === 403) return;
    expect(asked.status).toBe(201);
    await this.posted(`/credit-requests/${id}/approve`, {}, [200]);
  }

  private async configure(change: object): Promise<void> {
    const headers = { 'content-type': 'application/json' };
    const init = { method: 'PATCH', body: JSON.stringify(change), headers };
    await textOf(this.operator.call(`/customers/${this.me.customer.id}/ai`, init), 200);
  }

  private async posted(path: string, body: object, statuses: number[]): Promise<void> {
    const reply = await this.operator.post(path, body);
    const text = await reply.text();
    if (!statuses.includes(reply.status)) throw new Error(`${path} answered ${reply.status}: ${text}`);
  }

  private async passTime(turns: boolean): Promise<void> {
    const turn = turns ? this.turns.shift() : undefined;
    // Not beyond the end of the month.
    const next = Math.min(
      this.now + this.int(1, 300) * MINUTE_MS,
      Date.parse(this.turns[0] ?? '2027-01-31T00:00:00Z') - 1_000,
    );
    this.now = turn === undefined ? Math.max(next, this.now + 1) : Date.parse(turn);
    await setDatabaseClock(this.ai.api.superuser, { standsAt: new Date(this.now) });
    // The session before has ended meanwhile.
    this.operator = await logIn(this.operatorApi, 'admin');
  }

  private int(min: number, max: number): number {
    return this.random.number.int({ min, max });
  }
}

async function textOf(reply: Promise<Response>, status: number): Promise<string> {
  const { status: found, url } = await reply;
  const text = await (await reply).text();
  if (found !== status) throw new Error(`${url} answered ${found}: ${text}`);
  return text;
}

function texts(fields: Record<string, unknown>): Status {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)]));
}
