import { setTimeout as delay } from 'node:timers/promises';
import { isTransientFailure } from '../database-errors';

/** When a statement is repeated. */
export interface TransientRetries {
  /** Pause between two attempts, in milliseconds. */
  pauseMs: number;
  /** A failure later than this is final, in milliseconds; default: no limit. */
  forMs?: number;
  /** Ends the attempts: none begins after it. */
  signal?: AbortSignal;
}

/**
 * Repeats statements while they fail because the database is unavailable, or because of a conflict with another
 * transaction. @param work must be safe to repeat
 */
export async function retryTransient<T>(
  work: () => Promise<T>,
  { pauseMs, forMs = Infinity, signal }: TransientRetries,
): Promise<T> {
  const giveUpAt = performance.now() + forMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isTransientFailure(error) || performance.now() > giveUpAt || signal?.aborted) throw error;
    }
    await delay(pauseMs, undefined, { signal }).catch(() => undefined);
    signal?.throwIfAborted();
  }
}

/** Storing of items that may have to wait for the database. */
export interface DeferredWritesOptions<Item> {
  /** Stores an item; must be safe to repeat. */
  store: (item: Item) => Promise<unknown>;
  /** Called with an item that cannot be stored: the database refuses it, too many wait, or the process ends. */
  lost: (item: Item, reason: unknown) => void;
  /** Items that wait at most. */
  capacity: number;
  /** Pause between two attempts, in milliseconds. */
  retryMs: number;
}

/** Keeps items that could not be stored because the database was away, and repeats until they are, in their order. */
export class DeferredWrites<Item> {
  private readonly waiting: Item[] = [];
  private working?: Promise<void>;
  private closed = false;
  private readonly givingUp = new AbortController();

  constructor(private readonly options: DeferredWritesOptions<Item>) {}

  /** How many wait. */
  get size(): number {
    return this.waiting.length;
  }

  /** Takes an item over. */
  add(item: Item): void {
    const { capacity, lost } = this.options;
    if (this.closed) return lost(item, new Error('The process ends'));
    if (this.waiting.length >= capacity) return lost(item, new Error(`${capacity} are waiting already`));
    this.waiting.push(item);
    this.working ??= this.work();
  }

  /** Goes on for a while; items that are not stored by then are lost. */
  async close(withinMs: number): Promise<void> {
    this.closed = true;
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
    // In the same turn as the look that found nothing: an item that is added a moment later must start the work again.
    this.working = undefined;
  }
}
