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
  /** Whose the item is: items of others do not wait for it. */
  customerId: (item: Item) => string;
  /** Stores an item; must be safe to repeat. */
  store: (item: Item) => Promise<unknown>;
  /** Called with an item that cannot be stored: the database refuses it, too many wait, or the process ends. */
  lost: (item: Item, reason: unknown) => void;
  /** Items that wait at most, of all customers. */
  capacity: number;
  /** Pause between two attempts, in milliseconds. */
  retryMs: number;
}

/**
 * Keeps items that could not be stored because the database was away, and repeats until they are: those of a customer in their
 * order. The customers take turns, as rows of one may be locked for as long as another program likes.
 */
export class DeferredWrites<Item> {
  /** By customer, in the order of their turns; none is empty. */
  private readonly waiting = new Map<string, Item[]>();
  private count = 0;
  private working?: Promise<void>;
  private closed = false;
  private readonly givingUp = new AbortController();

  constructor(private readonly options: DeferredWritesOptions<Item>) {}

  /** How many wait. */
  get size(): number {
    return this.count;
  }

  /** Takes an item over. */
  add(item: Item): void {
    const { capacity, customerId, lost } = this.options;
    if (this.closed) return lost(item, new Error('The process ends'));
    if (this.count >= capacity) return lost(item, new Error(`${capacity} are waiting already`));
    const customer = customerId(item);
    const line = this.waiting.get(customer);
    if (line) line.push(item);
    else this.waiting.set(customer, [item]);
    this.count++;
    this.working ??= this.work();
  }

  /** Goes on for a while; items that are not stored by then are lost. */
  async close(withinMs: number): Promise<void> {
    this.closed = true;
    const timer = setTimeout(() => this.givingUp.abort(), withinMs);
    await this.working;
    clearTimeout(timer);
    for (const item of [...this.waiting.values()].flat()) this.options.lost(item, new Error('The process ends'));
    this.waiting.clear();
    this.count = 0;
  }

  private async work(): Promise<void> {
    const { signal } = this.givingUp;
    for (let [next] = this.waiting; next !== undefined; [next] = this.waiting) {
      const [customer, line] = next;
      const stored = await this.storeAll(line);
      this.waiting.delete(customer);
      // One may have been added since the last was stored.
      if (line.length > 0) this.waiting.set(customer, line);
      if (stored) continue;
      await delay(this.options.retryMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) break;
    }
    // In the same turn as the look that found nothing: an item that is added a moment later must start the work again.
    this.working = undefined;
  }

  /** Stores a customer's items, until one fails that may succeed later. @returns whether none did */
  private async storeAll(line: Item[]): Promise<boolean> {
    const { store, lost } = this.options;
    for (let item = line[0]; item !== undefined; item = line[0]) {
      try {
        await store(item);
      } catch (error) {
        if (isTransientFailure(error)) return false;
        // Kept, it would be refused for ever, and everything behind it would wait.
        lost(item, error);
      }
      line.shift();
      this.count--;
    }
    return true;
  }
}
