import type { Faker } from '@faker-js/faker';
import type { LedgerStep, ReleaseCall, ReserveCall, SettleCall } from './ledger-step';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

interface Made {
  owner: number;
  seed: string;
  input: number;
  max: number;
}

/** Makes steps at random, the same ones for the same seed. */
export class RandomSteps {
  private now = Date.parse('2026-11-20T12:00:00Z');
  private readonly made: Made[] = [];

  constructor(
    private readonly random: Faker,
    private readonly customers: number,
    private readonly lifetimeMs: number,
  ) {}

  next(): LedgerStep {
    const owner = () => this.int(0, this.customers - 1);
    return this.random.helpers.weightedArrayElement<() => LedgerStep>([
      { weight: 34, value: () => ({ step: 'reserve', calls: this.batch(() => this.reserve()), late: this.seldom() }) },
      { weight: 28, value: () => ({ step: 'settle', calls: this.batch(() => this.settle()), late: this.seldom() }) },
      { weight: 9, value: () => ({ step: 'release', calls: this.batch(() => this.release()) }) },
      { weight: 6, value: () => this.time() },
      { weight: 5, value: () => ({ step: 'abandon', owner: owner() }) },
      { weight: 2, value: () => ({ step: 'roll over', owner: owner() }) },
      { weight: 8, value: () => ({ step: 'credit', owner: owner(), amount: this.amount(-3, 6) }) },
      { weight: 4, value: () => this.limits(owner()) },
      { weight: 3, value: () => ({ step: 'include', owner: owner(), amount: this.amount(0, 4) }) },
      { weight: 1, value: () => ({ step: 'price', rates: this.rates() }) },
    ])();
  }

  /** Rates of a model: input, cache writes, cache reads, output. Sometimes one of them is nothing. */
  rates(): string[] {
    return [2_000, 2_500, 4_000, 300, 9_000].map((most) => (this.seldom() ? '0' : this.amount(0, most)));
  }

  private reserve(): ReserveCall {
    const [owner, seed] = [this.int(0, this.customers - 1), this.random.string.uuid()];
    const [input, max] = [this.int(0, 400), this.int(0, 600)];
    this.made.push({ owner, seed, input, max });
    // Few keys, so that some are taken. Which call has one may change with every try.
    const key = this.int(0, 2) === 0 ? `\\x0${this.int(1, 4)}` : null;
    return {
      owner,
      seed,
      input_tokens: input,
      cache: this.random.helpers.arrayElement(['none', '5m', '1h']),
      max_tokens: max,
      least_tokens: Math.min(max, 16),
      may_shorten: this.random.datatype.boolean(),
      request_id: `request-${seed.slice(0, 4)}`,
      token_id: this.random.helpers.arrayElement([null, '00000000-0000-4000-8000-00000000000a']),
      key_hash: key,
      key_fingerprint: key && '\\xff',
    };
  }

  /** A call, mostly a recent one: it may have been refused or ended long ago, and may be named twice. */
  private call(): Made {
    const recent = this.int(0, 4) > 0 ? this.made.slice(-6) : this.made;
    if (recent.length > 0 && !this.seldom()) return this.random.helpers.arrayElement(recent);
    return { owner: this.int(0, this.customers - 1), seed: this.random.string.uuid(), input: 9, max: 9 };
  }

  private settle(): SettleCall {
    const { owner, seed, input, max } = this.call();
    const part = () => this.int(0, Math.ceil(input / 3));
    const kept = this.random.datatype.boolean();
    return {
      owner,
      seed,
      input: part(),
      write_5m: part(),
      write_1h: part(),
      read: part(),
      output: this.int(0, this.seldom() ? max * 3 : max),
      upstream_id: `upstream-${this.int(0, 999)}`,
      streamed: this.random.datatype.boolean(),
      reply_secrets_key: kept ? 'k' : null,
      reply: kept ? '\\xabcd' : null,
    };
  }

  private release(): ReleaseCall {
    const { owner, seed } = this.call();
    const outcome = this.random.helpers.arrayElement(['released', 'outcome_unknown', 'not_charged']);
    return { owner, seed, outcome, reason: `reason ${this.int(0, 9)}`, bySeed: this.int(0, 3) === 0 };
  }

  private time(): LedgerStep {
    const later = [MINUTE_MS, this.lifetimeMs, this.lifetimeMs + 1, DAY_MS, 11 * DAY_MS, 33 * DAY_MS];
    this.now += this.random.helpers.arrayElement(later);
    return { step: 'time', at: new Date(this.now).toISOString() };
  }

  private limits(owner: number): LedgerStep {
    const limit = () => (this.random.datatype.boolean() ? null : this.amount(0, 6));
    return { step: 'limits', owner, enabled: this.int(0, 5) > 0, monthly: limit(), total: limit() };
  }

  private batch<Item extends { owner: number }>(make: () => Item): Item[] {
    return Array.from({ length: this.int(1, 5) }, make).sort((a, b) => a.owner - b.owner);
  }

  private seldom(): boolean {
    return this.int(0, 14) === 0;
  }

  private amount(min: number, max: number): string {
    return (this.int(min * 1_000_000, max * 1_000_000) / 1_000_000).toFixed(6);
  }

  private int(min: number, max: number): number {
    return this.random.number.int({ min, max });
  }
}
