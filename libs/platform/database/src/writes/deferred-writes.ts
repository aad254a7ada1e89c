import { isTransientFailure } from '../errors/database-errors';
import { retryTransient } from './retry-transient';

/** What is stored later, and how. */
export interface DeferredWritesOptions<Item> {
  /** Stores an item; must be safe to repeat. */
  store: (item: Item) => Promise<unknown>;
  /** Told of an item that cannot be stored: the database refuses it, too many wait, or the process ends. */
  lost: (item: Item, reason: unknown) => void;
  /** Items that wait at most. */
  capacity: number;
  /** Pause between two attempts, in milliseconds. */
  retryMs: number;
}

/** Keeps what could not be stored because the database was away, and tries until it is, in the order in which it came. */
export class DeferredWrites<Item> {
  private readonly waiting: Item[] = [];
  private working?: Promise<void>;
  private readonly givingUp = new AbortController();

  constructor(private readonly options: DeferredWritesOptions<Item>) {}

  /** How many wait. */
  get size(): number {
    return this.waiting.length;
  }

  /** Takes an item over. */
  add(item: Item): void {
    const { capacity, lost } = this.options;
    if (this.waiting.length >= capacity) return lost(item, new Error(`${capacity} are waiting already`));
    this.waiting.push(item);
    this.working ??= this.work();
  }

  /** Goes on trying for a while; what is not stored then is lost. */
  async close(withinMs: number): Promise<void> {
    const timer = setTimeout(() => this.givingUp.abort(), withinMs);
    await this.working;
    clearTimeout(timer);
    for (const item of this.waiting.splice(0)) this.options.lost(item, new Error('The process ends'));
  }

  private async work(): Promise<void> {
    const { store, lost, retryMs: pauseMs } = this.options;
    const { signal } = this.givingUp;
    for (let item = this.waiting[0]; item !== undefined; item = this.waiting[0]) {
      try {
        await retryTransient(() => store(item), { pauseMs, signal });
      } catch (error) {
        if (signal.aborted && (error === signal.reason || isTransientFailure(error))) break;
        // Kept, it would be refused for ever, and everything behind it would wait.
        lost(item, error);
      }
      this.waiting.shift();
    }
    // In the same turn as the look that found nothing: what is added a moment later must find nobody working.
    this.working = undefined;
  }
}
