import { randomUUID } from 'node:crypto';
import { en, Faker } from '@faker-js/faker';
import { shortDecimal } from '@platform/money';
import { saveAiCustomer, saveModelPrice } from './ai-factories';
import type { AiFixture } from './ai.fixture';
import { billingMonth } from './billing-days';
import { LedgerFunctions, type LedgerWay, nok, type Owned, units } from './ledger-functions';
import { LedgerModel, type ModelPrice, type ReserveItem, type SettleItem, type Units } from './ledger-model';

const CUSTOMERS = 3;
const LIFETIME_MS = 600_000;
const HOUR_MS = 3_600_000;

/** A step with its actual and expected result. */
interface Step {
  what: string;
  done: unknown;
  expected: unknown;
}

interface Call {
  id: string;
  owner: number;
  input: number;
  max: number;
}

/** Creates a random history of a few new customers; it depends on the seed only, apart from ids. @param way how batches are sent */
export async function randomHistory(fixture: AiFixture, seed: number, way: LedgerWay): Promise<LedgerHistory> {
  const random = new Faker({ locale: [en], seed });
  const rate = (most: number) => random.number.int({ min: 1, max: most * 1_000_000 });
  const price: ModelPrice = {
    input: BigInt(rate(2_000)),
    write5m: BigInt(rate(2_500)),
    write1h: BigInt(rate(4_000)),
    read: BigInt(rate(300)),
    output: BigInt(rate(9_000)),
  };
  // A rate of 10⁻⁶ NOK per million tokens is 10⁻¹² NOK for a token.
  const perMillion = (value: Units) => nok(value * 1_000_000n);
  const model = await saveModelPrice(fixture.superuser, {
    input: perMillion(price.input),
    write5m: perMillion(price.write5m),
    write1h: perMillion(price.write1h),
    read: perMillion(price.read),
    output: perMillion(price.output),
  });
  await fixture.setTime('2026-01-20T12:00:00Z');
  const customers: string[] = [];
  for (let count = 0; count < CUSTOMERS; count++)
    customers.push(await saveAiCustomer(fixture.superuser, { model, month: '2026-01' }));
  return new LedgerHistory(fixture, random, customers.sort(), price, way);
}

/** Random steps that are executed by the ledger's functions and by a model. */
export class LedgerHistory {
  private now = Date.parse('2026-01-20T12:00:00Z');
  private readonly models: LedgerModel[];
  private readonly functions: LedgerFunctions;
  private readonly calls: Call[] = [];

  constructor(
    private readonly fixture: AiFixture,
    private readonly random: Faker,
    private readonly customers: string[],
    price: ModelPrice,
    way: LedgerWay,
  ) {
    this.models = customers.map(() => new LedgerModel(price, '2026-01'));
    this.functions = new LedgerFunctions(fixture.superuser, customers, LIFETIME_MS, way);
  }

  step(): Promise<Step> {
    return this.random.helpers.weightedArrayElement([
      { value: () => this.reserve(), weight: 36 },
      { value: () => this.settle(), weight: 26 },
      { value: () => this.release(), weight: 8 },
      { value: () => this.passTime(), weight: 9 },
      { value: () => this.abandon(), weight: 5 },
      { value: () => this.turn(), weight: 2 },
      { value: () => this.adjust(), weight: 9 },
      { value: () => this.configure(), weight: 5 },
      { value: () => this.include(), weight: 4 },
    ])();
  }

  accounts() {
    return this.functions.accounts();
  }

  expectedAccounts() {
    return this.models.map((model) => ({
      month: model.month,
      included: model.included,
      carried_over: model.carried,
      purchased: model.purchased,
      reserved: model.reserved,
      month_usage: model.used,
      month_included_usage: model.usedIncluded,
      month_granted: model.granted,
    }));
  }

  /** The expected status of each customer. */
  views(): [string, Record<string, string>][] {
    return this.models.map((model, owner) => {
      const amounts = Object.entries(model.shown(this.month)).map(([name, amount]) => [
        name,
        shortDecimal(nok(amount)),
      ]);
      return [this.customers[owner]!, Object.fromEntries(amounts) as Record<string, string>];
    });
  }

  private get month(): string {
    return billingMonth(new Date(this.now));
  }

  private async reserve(): Promise<Step> {
    const items = this.batch(() => {
      const max = this.int(1, 600);
      const item: ReserveItem = {
        id: randomUUID(),
        input: this.int(0, 400),
        cache: this.random.helpers.arrayElement(['none', '5m', '1h']),
        max,
        least: Math.min(max, 16),
        mayShorten: this.random.datatype.boolean(),
      };
      return { ...item, owner: this.owner() };
    });
    const done = await this.functions.reserve(items);
    const expected = this.each(items, (model, own) => model.reserve(own, this.now, this.month, LIFETIME_MS));
    items.forEach(({ id, owner, input, max }, index) => {
      if (expected[index]!.outcome === 'reserved') this.calls.push({ id, owner, input, max });
    });
    return this.told('reserve', items, done, expected);
  }

  /** Settles calls in progress, and sometimes calls that ended long ago, or the same call twice. */
  private async settle(): Promise<Step> {
    const items = this.batch((): Owned<SettleItem> | undefined => {
      const call = this.call();
      if (!call) return undefined;
      const part = () => this.int(0, Math.ceil(call.input / 3));
      const output = this.int(0, this.int(0, 9) === 0 ? call.max * 2 : call.max);
      const tokens = { input: part(), write5m: part(), write1h: part(), read: part(), output };
      return { id: call.id, owner: call.owner, tokens };
    });
    const done = items.length > 0 ? await this.functions.settle(items) : [];
    const expected = this.each(items, (model, own) => model.settle(own, this.month));
    return this.told('settle', items, done, expected);
  }

  private async release(): Promise<Step> {
    const items = this.batch(() => this.call());
    const state = this.random.helpers.arrayElement(['released', 'outcome_unknown', 'not_charged'] as const);
    const done = items.length > 0 ? await this.functions.release(items, state) : [];
    const expected = this.each(items, (model, own) =>
      model.release(
        own.map(({ id }) => id),
        state,
      ),
    );
    return this.told(state, items, done, expected);
  }

  private async passTime(): Promise<Step> {
    this.now += this.random.helpers.arrayElement([60_000, LIFETIME_MS, LIFETIME_MS + 1, HOUR_MS, 240 * HOUR_MS]);
    await this.fixture.setTime(new Date(this.now).toISOString());
    return this.told('time passes', new Date(this.now), null, null);
  }

  private async abandon(): Promise<Step> {
    const owner = this.owner();
    await this.functions.abandon(owner);
    this.models[owner]!.abandon(this.now);
    return this.told('abandon', owner, null, null);
  }

  private async turn(): Promise<Step> {
    const owner = this.owner();
    await this.functions.turn(owner);
    this.models[owner]!.turn(this.month);
    return this.told('turn', owner, null, null);
  }

  private async adjust(): Promise<Step> {
    const owner = this.owner();
    const amount = this.amount() * (this.random.datatype.boolean() ? 1n : -1n) + 1n;
    const done = await this.functions.adjust(owner, amount);
    return this.told('book', [owner, nok(amount)], done, this.models[owner]!.adjust(amount, this.month));
  }

  private async configure(): Promise<Step> {
    const owner = this.owner();
    const limit = () => (this.random.datatype.boolean() ? null : this.amount());
    const what = { enabled: this.int(0, 5) > 0, monthlyLimit: limit(), totalLimit: limit() };
    await this.functions.configure(owner, what);
    await this.functions.grantRaise(owner);
    Object.assign(this.models[owner]!, what).grantRaise(this.month);
    return this.told('configure', [owner, what], null, null);
  }

  private async include(): Promise<Step> {
    const owner = this.owner();
    const monthIncludes = (this.amount() / units('0.01')) * units('0.01');
    await this.functions.include(owner, monthIncludes);
    Object.assign(this.models[owner]!, { monthIncludes }).grantRaise(this.month);
    return this.told('include', [owner, nok(monthIncludes)], null, null);
  }

  private told(what: string, of: unknown, done: unknown, expected: unknown): Step {
    const text = JSON.stringify(of, (_, value: unknown) => (typeof value === 'bigint' ? nok(value) : value));
    return { what: `${what} ${text}`, done, expected };
  }

  /** One to four items, sorted by customer like the ledger's batches. */
  private batch<Item extends { owner: number }>(make: () => Item | undefined): Item[] {
    const items = Array.from({ length: this.int(1, 4) }, make).filter((item) => item !== undefined);
    return items.sort((a, b) => a.owner - b.owner);
  }

  /** The model's results of a batch, in its order. */
  private each<Item extends { owner: number }, Result>(
    items: Item[],
    of: (model: LedgerModel, own: Item[]) => Result[],
  ): Result[] {
    return this.models.flatMap((model, index) => {
      const own = items.filter(({ owner }) => owner === index);
      return own.length > 0 ? of(model, own) : [];
    });
  }

  /** A call, mostly a recent one. */
  private call(): Call | undefined {
    const recent = this.int(0, 4) > 0 ? this.calls.slice(-8) : this.calls;
    return recent.length > 0 ? this.random.helpers.arrayElement(recent) : undefined;
  }

  private owner(): number {
    return this.int(0, CUSTOMERS - 1);
  }

  private int(min: number, max: number): number {
    return this.random.number.int({ min, max });
  }

  /** Up to 6 NOK, a little more than a call costs. */
  private amount(): Units {
    return BigInt(this.int(0, 6_000_000)) * 1_000_000n;
  }
}
