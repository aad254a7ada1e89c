import { ServiceError } from '@platform/errors';
import { FairSlots } from '@platform/fairness';
import { OverloadedError } from '../database-errors';
import type { ReadStatement } from '../prepared-statement';

/**
 * Bytes of rows from which on a read is slow. Pages of 200 charges have 50 kB: with eight of them in a
 * batch, and several batches under way, a turn of the event loop took 100 ms.
 */
const SLOW_BYTES = 32 * 1024;
/** How long reads count as slow after the last one with so many bytes, in milliseconds. */
const SLOW_FOR_MS = 60_000;
/** Reads under way at once of which none has been answered yet, or only quick ones lately. */
const UNKNOWN_AT_ONCE = 2;
const QUICK_AT_ONCE = 32;

/** Milliseconds of the database from which on a read may be slow. */
const SLOW_MS = 30;
/** While the database has much to do, every read takes long: a slow one takes so many times as long as is usual then. */
const CLEARLY_LONGER = 4;
/** The factor by which the usual time follows each batch of reads. */
const FOLLOWS = 1.05;

/** How long batches of reads of all customers take the database at present: half of them less. */
export class UsualTime {
  private ms = 1;

  /** Notes how long a batch took, in milliseconds. @returns whether that is long */
  note(ms: number): boolean {
    const isLong = this.isLong(ms);
    this.ms = Math.max(1, ms > this.ms ? this.ms * FOLLOWS : this.ms / FOLLOWS);
    return isLong;
  }

  /** Whether a read that takes so many milliseconds is slow, and not the database. */
  isLong(ms: number): boolean {
    return ms >= Math.max(SLOW_MS, CLEARLY_LONGER * this.ms);
  }
}

/** How much a customer's reads by one statement have lately cost. Those that cost much must not hold up the quick ones of others. */
export class ReadCost {
  /** Whether the last by itself, or a batch with it since then, took long. */
  tookLong = false;
  private underWay = 0;
  private isKnown = false;
  private largeUntil = -Infinity;
  private waiting: (() => void)[] = [];

  constructor(readonly usual = new UsualTime()) {}

  /** Whether one lately had very many bytes. */
  get isLarge(): boolean {
    return performance.now() <= this.largeUntil;
  }

  /** Whether so many are under way that one more has to wait. */
  get isFull(): boolean {
    return this.underWay >= this.most;
  }

  private get most(): number {
    if (this.tookLong) return 1;
    return this.isKnown ? QUICK_AT_ONCE : UNKNOWN_AT_ONCE;
  }

  /** Lets `read` try again when fewer are under way, or more is known of them. */
  async whenFree<T>(read: () => Promise<T>): Promise<T> {
    await new Promise<void>((resolve) => this.waiting.push(resolve));
    const { underWay } = this;
    const reading = read();
    // It has not begun: its client has gone, or another cost is kept by now. The place is the next one's.
    if (this.underWay === underWay) this.letNext();
    return reading;
  }

  begin(): void {
    this.underWay++;
  }

  end(): void {
    this.underWay--;
    this.isKnown = true;
    this.letNext();
  }

  private letNext(): void {
    if (this.waiting.length === 0) return;
    const free = this.isLarge ? Infinity : Math.max(0, this.most - this.underWay);
    for (const proceed of this.waiting.splice(0, free)) proceed();
  }

  /** Notes the bytes of a read's rows. */
  noteBytes(bytes: number): void {
    if (bytes >= SLOW_BYTES) this.largeUntil = performance.now() + SLOW_FOR_MS;
  }

  /**
   * Notes whether the database took long. Of reads that were sent together each may have been the slow one: by itself it shows.
   * @param alone whether it was a read by itself
   */
  noteTime(isLong: boolean, alone: boolean): void {
    if (isLong) this.tookLong = true;
    else if (alone) this.tookLong = false;
  }
}

/** Notes how long reads took that were sent together, and had so many bytes. */
export function noteBatch(costs: readonly ReadCost[], bytes: readonly number[], ms: number): void {
  if (!costs[0]?.usual.note(ms)) return;
  // The large ones took it, if there are any.
  const large = costs.filter((_, place) => (bytes[place] ?? 0) >= SLOW_BYTES);
  for (const cost of large.length > 0 ? large : costs) cost.noteTime(true, false);
}

/** Slow reads at once, one per customer while others have some; and those that wait, half of them of one customer at most. */
export const SLOW_AT_ONCE = 2;
const MOST_WAITING = 128;
/** Pairs of a statement and a customer whose cost is known. */
const MOST_COSTS = 20_000;

/** Knows the costs of reads, and lets the slow ones take turns apart from all others. */
export class SlowReads {
  private readonly slots = new FairSlots(SLOW_AT_ONCE, MOST_WAITING);
  private readonly usual = new UsualTime();
  /** By statement, by customer. */
  private readonly costs = new Map<ReadStatement<never>, Map<string, ReadCost>>();
  private knownCosts = 0;

  costOf(customerId: string, statement: ReadStatement<never>): ReadCost {
    let ofStatement = this.costs.get(statement);
    if (!ofStatement) this.costs.set(statement, (ofStatement = new Map<string, ReadCost>()));
    let cost = ofStatement.get(customerId);
    if (!cost) {
      if (++this.knownCosts > MOST_COSTS) this.forgetCosts();
      ofStatement.set(customerId, (cost = new ReadCost(this.usual)));
    }
    return cost;
  }

  /**
   * Runs a slow read in its turn. A customer has one at a time while others have some. It waits here, not in front of the reads of
   * others. @throws ServiceError rate_limited if too many of the customer's wait; OverloadedError
   */
  async inTurn<T>(customerId: string, read: () => Promise<T>): Promise<T> {
    await this.slot(customerId);
    try {
      return await read();
    } finally {
      this.slots.release(customerId);
    }
  }

  private slot(customerId: string): Promise<void> {
    if (this.slots.take(customerId)) return Promise.resolve();
    switch (this.slots.refusal(customerId)) {
      case undefined:
        return new Promise((resolve) => void this.slots.queue(customerId, resolve));
      case 'share_used':
        return Promise.reject(new ServiceError('rate_limited', TOO_MANY_SLOW, { retryAfterSeconds: 1 }));
      case 'busy':
        return Promise.reject(new OverloadedError());
    }
  }

  private forgetCosts(): void {
    for (const ofStatement of this.costs.values()) ofStatement.clear();
    this.knownCosts = 0;
  }
}

const TOO_MANY_SLOW =
  'Your requests read so much that they wait for each other; send fewer at a time, or ask for fewer items with each';
