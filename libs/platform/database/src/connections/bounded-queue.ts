import { OverloadedError } from '../database-errors';

/** Limits of a queue. */
export interface BoundedQueueOptions {
  /** Works that run at once. */
  places: number;
  /** Of these, at most so many of one customer: one that is slow, for a lock or a flood, leaves room for the others. */
  placesPerCustomer: number;
  /** The longest that a work may wait, in milliseconds. */
  patienceMs: number;
  /**
   * Makes the error of a work that is refused because works of its own customer held that customer's places, while others were free.
   * Not called if no work has ended lately: then the database is the cause. Default: OverloadedError.
   */
  behindOwn?: () => Error;
  /** Whether a work is refused in time though none ends: one may wait for its client, or another system. Default: when one ends, or comes. */
  refusesInTime?: true;
}

export interface WaitingOptions {
  /** Completes an operation that has an effect already: it goes before all others and is never refused. */
  ends?: boolean;
}

interface Waiting {
  customerId: string;
  ends: boolean;
  since: number;
  /** Whether it waits for others of its customer alone. */
  behindOwn: boolean;
  start: () => void;
  refuse: (error: Error) => void;
}

/** While works are under way and none ends for so long, the database is the cause of the waiting, and no customer. */
const STALLED_MS = 1000;

/**
 * Runs works in the order of their arrival, a limited number at once. Under more load than can be served, a queue in which
 * everybody waits until it is too late serves nobody: works that cannot begin in time are refused, if possible on arrival.
 */
export class BoundedQueue {
  private readonly waiting: Waiting[] = [];
  /** Number of entries at the front that complete an operation. */
  private ending = 0;
  private readonly underWay = new Map<string, number>();
  private running = 0;
  /** When a work ended last, or the first one began; and the last end that had been late in coming. */
  private movedAt = -Infinity;
  private stalledUntil = -Infinity;

  constructor(private readonly options: BoundedQueueOptions) {}

  /** Does the work when it is its turn. @throws OverloadedError, or as `behindOwn` says, when that would be too late */
  async run<T>(customerId: string, work: () => Promise<T>, { ends = false }: WaitingOptions = {}): Promise<T> {
    // Entries wait because all places are taken, or those of their customer. So none of them is passed here.
    if (this.hasPlace(customerId)) this.take(customerId);
    else await this.wait(customerId, ends);
    try {
      return await work();
    } finally {
      this.leave(customerId);
    }
  }

  /**
   * How long the oldest entry has been waiting, of those that wait for any place at all, in milliseconds. Entries that
   * complete an operation stand in front and must not hide how long the others wait.
   */
  queueDelayMs(): number {
    let since = Infinity;
    for (const one of this.waiting) if (one.since < since && !this.isFull(one.customerId)) since = one.since;
    return since === Infinity ? 0 : performance.now() - since;
  }

  private wait(customerId: string, ends: boolean): Promise<void> {
    const now = performance.now();
    const behindOwn = this.isFull(customerId) && this.running < this.options.places;
    const ahead = ends ? undefined : this.ahead(customerId);
    if (ahead && now - ahead.since > this.options.patienceMs)
      return Promise.reject(this.refusal({ behindOwn, since: ahead.since }));
    return new Promise((start, refuse) => {
      const place = ends ? this.ending++ : this.waiting.length;
      this.waiting.splice(place, 0, { customerId, ends, since: now, behindOwn, start, refuse });
      const { patienceMs, refusesInTime } = this.options;
      if (refusesInTime) setTimeout(() => this.refuseLate(now), patienceMs).unref();
    });
  }

  /** The first entry that waits for the same as a work of this customer would. */
  private ahead(customerId: string): Waiting | undefined {
    return this.waiting.find((one) =>
      this.isFull(customerId) ? one.customerId === customerId : !this.isFull(one.customerId),
    );
  }

  private refusal({ behindOwn, since }: Pick<Waiting, 'behindOwn' | 'since'>): Error {
    const stalled = this.stalledUntil >= since || performance.now() - this.movedAt > STALLED_MS;
    return (behindOwn && !stalled ? this.options.behindOwn?.() : undefined) ?? new OverloadedError();
  }

  /** Refuses what waits since a moment or before, though no work ends. */
  private refuseLate(since: number): void {
    const late = this.waiting.filter((one) => !one.ends && one.since <= since);
    for (const one of late) {
      this.waiting.splice(this.waiting.indexOf(one), 1);
      one.refuse(this.refusal(one));
    }
  }

  private leave(customerId: string): void {
    const now = performance.now();
    if (now - this.movedAt > STALLED_MS) this.stalledUntil = now;
    this.movedAt = now;
    this.running--;
    const left = (this.underWay.get(customerId) ?? 1) - 1;
    if (left > 0) this.underWay.set(customerId, left);
    else this.underWay.delete(customerId);
    this.serve();
  }

  private serve(): void {
    const tooEarly = performance.now() - this.options.patienceMs;
    for (let index = 0; index < this.waiting.length && this.running < this.options.places;) {
      const next = this.waiting[index] as Waiting;
      const isLate = !next.ends && next.since < tooEarly;
      if (!isLate && !this.hasPlace(next.customerId)) {
        index++;
        continue;
      }
      this.waiting.splice(index, 1);
      if (next.ends) this.ending--;
      if (isLate) next.refuse(this.refusal(next));
      else {
        this.take(next.customerId);
        next.start();
      }
    }
  }

  private hasPlace(customerId: string): boolean {
    return this.running < this.options.places && !this.isFull(customerId);
  }

  private isFull(customerId: string): boolean {
    return (this.underWay.get(customerId) ?? 0) >= this.options.placesPerCustomer;
  }

  private take(customerId: string): void {
    if (this.running === 0) this.movedAt = performance.now();
    this.running++;
    this.underWay.set(customerId, (this.underWay.get(customerId) ?? 0) + 1);
  }
}
