/** NOK in units of 10⁻¹²: what a token costs at a rate of 10⁻⁶ NOK per million tokens. */
export type Units = bigint;

export interface ModelPrice {
  input: Units;
  write5m: Units;
  write1h: Units;
  read: Units;
  output: Units;
}

interface Reservation {
  amount: Units;
  month: string;
  limit: Units | null;
  deadline: number;
  state: 'pending' | 'released' | 'outcome_unknown' | 'not_charged' | 'settled' | 'settled_late';
  uncovered: Units;
}

export interface ReserveItem {
  id: string;
  input: number;
  cache: 'none' | '5m' | '1h';
  max: number;
  least: number;
  mayShorten: boolean;
}

export interface SettleItem {
  id: string;
  tokens: { input: number; write5m: number; write1h: number; read: number; output: number };
}

const min = (...values: (Units | null)[]) =>
  values.filter((value) => value !== null).reduce((least, value) => (value < least ? value : least));
const max = (a: Units, b: Units) => (a > b ? a : b);

/**
 * A model of one customer's AI credit according to the documented rules, call by call, to compare the ledger's
 * functions with.
 */
export class LedgerModel {
  enabled = true;
  monthlyLimit: Units | null = null;
  totalLimit: Units | null = null;
  monthIncludes: Units = 0n;
  /** Included credit of the current month, and credit carried over for calls that had reserved it. */
  fresh: Units = 0n;
  carried: Units = 0n;
  purchased: Units = 0n;
  used: Units = 0n;
  usedIncluded: Units = 0n;
  granted: Units = 0n;
  readonly reservations = new Map<string, Reservation>();

  constructor(
    readonly price: ModelPrice,
    public month: string,
  ) {}

  get included(): Units {
    return this.fresh + this.carried;
  }

  get reserved(): Units {
    return this.pending().reduce((sum, { amount }) => sum + amount, 0n);
  }

  /** Included credit within the limit, and all purchased credit. */
  get spendable(): Units {
    return this.usableIncluded(this.monthlyLimit) + this.purchased;
  }

  /** What may still be used this month, calls in progress included. */
  private get leftThisMonth(): Units {
    return max(0n, min(this.spendable, this.totalLimit === null ? null : this.totalLimit - this.used));
  }

  /** The status of `GET /ai`, in a month that the account may not have been rolled over to yet. */
  shown(month: string) {
    const now = Object.assign(Object.create(LedgerModel.prototype) as LedgerModel, this);
    now.turn(month);
    return {
      included: now.included,
      purchased: now.purchased,
      reserved: now.reserved,
      usage: now.used,
      limit: now.used + now.leftThisMonth,
    };
  }

  turn(month: string): void {
    if (month <= this.month) return;
    // Calls in progress use included credit within the limit first, then purchased credit, at last included credit
    // above the limit.
    const first = min(this.usableIncluded(this.monthlyLimit), this.reserved);
    const second = min(this.reserved - first, this.purchased);
    this.carried = this.reserved - second;
    this.fresh = this.granted = this.enabled ? this.monthIncludes : 0n;
    this.used = this.usedIncluded = 0n;
    this.month = month;
  }

  reserve(items: ReserveItem[], now: number, month: string, lifetime: number): { outcome: string; tokens: number }[] {
    if (!this.enabled) return items.map(() => ({ outcome: 'disabled', tokens: 0 }));
    this.turn(month);
    let lookedForAbandoned = false;
    const before = this.reserved;
    return items.map(({ id, input, cache, max: most, least, mayShorten }) => {
      const bound = BigInt(input) * this.dearestInput(cache);
      const out = (tokens: number) => BigInt(tokens) * this.price.output;
      const free = () =>
        min(this.spendable, this.totalLimit === null ? null : this.totalLimit - this.used) - this.reserved;
      if (before > 0n && !lookedForAbandoned && bound + out(most) > free()) {
        lookedForAbandoned = true;
        this.abandon(now);
      }
      let tokens = most;
      while (tokens >= 0 && bound + out(tokens) > free()) tokens--;
      const needed = out(least) + (mayShorten ? bound : 0n);
      if (tokens < most && !mayShorten && free() > 0n && needed <= free()) return { outcome: 'too_large', tokens: 0 };
      if (tokens < least) {
        if (this.totalLimit !== null && needed > this.totalLimit - this.used)
          return { outcome: 'over_limit', tokens: 0 };
        return { outcome: this.reserved > 0n && needed <= this.spendable ? 'in_progress' : 'exhausted', tokens: 0 };
      }
      const amount = bound + out(tokens);
      const deadline = now + lifetime;
      this.reservations.set(id, { amount, month, limit: this.monthlyLimit, deadline, state: 'pending', uncovered: 0n });
      return { outcome: 'reserved', tokens };
    });
  }

  settle(items: SettleItem[], month: string): { uncovered: Units; late: boolean }[] {
    this.turn(month);
    const results = items.map(({ id, tokens }) => {
      const reservation = this.reservations.get(id)!;
      if (reservation.state === 'not_charged') return { uncovered: this.cost(tokens), late: true };
      if (reservation.state !== 'settled' && reservation.state !== 'settled_late') {
        const cost = this.cost(tokens);
        const late = reservation.state !== 'pending';
        reservation.state = late ? 'settled_late' : 'settled';
        // What calls of an ended month have left over in this batch is not free for a late one.
        if (late) this.expireCarried();
        const charge = late
          ? this.chargeLate(cost, reservation)
          : this.charge(min(cost, reservation.amount), reservation);
        reservation.uncovered = cost - charge;
      }
      return { uncovered: reservation.uncovered, late: reservation.state === 'settled_late' };
    });
    this.expireCarried();
    return results;
  }

  release(ids: string[], state: 'released' | 'outcome_unknown' | 'not_charged'): string[] {
    for (const id of ids) {
      const reservation = this.reservations.get(id)!;
      if (reservation.state === 'pending') reservation.state = state;
      // Said once, it stays true.
      const uncharged = reservation.state === 'released' || reservation.state === 'outcome_unknown';
      if (state === 'not_charged' && uncharged) reservation.state = state;
    }
    this.expireCarried();
    return ids.map((id) => this.reservations.get(id)!.state);
  }

  /** Ends reservations whose deadline has passed. */
  abandon(now: number): void {
    for (const reservation of this.pending()) if (reservation.deadline < now) reservation.state = 'outcome_unknown';
    this.expireCarried();
  }

  /** An adjustment by the operator. @returns false if it exceeds the free credit */
  adjust(amount: Units, month: string): boolean {
    this.turn(month);
    if (amount > 0n) {
      this.purchased += amount;
      return true;
    }
    const fromPurchased = min(-amount, this.purchased, max(0n, this.spendable - this.reserved));
    const fromIncluded = -amount - fromPurchased;
    if (fromIncluded > this.included) return false;
    const usable = min(this.included - fromIncluded, this.limitLeft(this.monthlyLimit));
    if (max(0n, usable) + this.purchased - fromPurchased < this.reserved) return false;
    this.purchased -= fromPurchased;
    this.takeIncluded(fromIncluded);
    return true;
  }

  grantRaise(month: string): void {
    this.turn(month);
    if (!this.enabled || this.monthIncludes <= this.granted) return;
    this.fresh += this.monthIncludes - this.granted;
    this.granted = this.monthIncludes;
  }

  private pending(): Reservation[] {
    return [...this.reservations.values()].filter(({ state }) => state === 'pending');
  }

  private limitLeft(limit: Units | null): Units | null {
    return limit === null ? null : limit - this.usedIncluded;
  }

  private usableIncluded(limit: Units | null): Units {
    return max(0n, min(this.included, this.limitLeft(limit)));
  }

  private dearestInput(cache: 'none' | '5m' | '1h'): Units {
    const { input, read, write5m, write1h } = this.price;
    const possible =
      cache === '1h' ? [input, read, write5m, write1h] : cache === '5m' ? [input, read, write5m] : [input, read];
    return possible.reduce(max);
  }

  private cost({ input, write5m, write1h, read, output }: SettleItem['tokens']): Units {
    const { price } = this;
    const costs = [
      [input, price.input],
      [write5m, price.write5m],
      [write1h, price.write1h],
      [read, price.read],
      [output, price.output],
    ] as const;
    return costs.reduce((sum, [tokens, rate]) => sum + BigInt(tokens) * rate, 0n);
  }

  /** Charges what is free now, and never more than was reserved. */
  private chargeLate(cost: Units, reservation: Reservation): Units {
    const credit = this.spendable - this.reserved;
    const total = this.totalLimit === null ? null : this.totalLimit - this.used - this.reserved;
    return this.charge(max(0n, min(cost, reservation.amount, credit, total)), reservation, true);
  }

  /** Charges credit carried over for the call, then included credit within the limit, then purchased credit. */
  private charge(amount: Units, reservation: Reservation, late = false): Units {
    const limit = late ? this.monthlyLimit : reservation.limit;
    const withinLimit = max(0n, this.usableIncluded(limit) - this.carried);
    const left = !late && reservation.month < this.month ? min(amount, this.carried) : 0n;
    const fresh = min(amount - left, withinLimit);
    const bought = min(amount - left - fresh, this.purchased);
    // The limit may have been lowered and the purchased credit used since: the call had reserved it all the same.
    const beyondLimit = amount - left - fresh - bought;
    this.carried -= left;
    this.takeIncluded(fresh + beyondLimit);
    this.purchased -= bought;
    this.used += amount;
    this.usedIncluded += amount - bought;
    return amount;
  }

  private takeIncluded(amount: Units): void {
    const fromFresh = min(amount, this.fresh);
    this.fresh -= fromFresh;
    this.carried -= amount - fromFresh;
  }

  private expireCarried(): void {
    const needed = this.pending()
      .filter(({ month }) => month < this.month)
      .reduce((sum, { amount }) => sum + amount, 0n);
    this.carried = min(this.carried, needed);
  }
}
