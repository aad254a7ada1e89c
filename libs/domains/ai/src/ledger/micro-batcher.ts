import { untraced } from '@platform/tracing';

/** Executes operations, each in a batch with others. */
export interface Batcher<Item, Result> {
  execute(item: Item): Promise<Result>;
}

export interface BatcherOptions<Item, Result> {
  /** Executes a batch and returns the results in the same order. All or nothing: after a failure nothing was done. */
  run: (items: Item[]) => Promise<Result[]>;
  /** Order of the items in a batch. Batches in one order cannot deadlock. */
  compare: (a: Item, b: Item) => number;
  /** Maximum number of items per batch. */
  size: number;
  /** Maximum number of concurrent batches. A second batch starts only when it is full. */
  concurrency: number;
  /**
   * Whether a failure would hit every item alike, such as an unavailable database. Such a batch is not retried item by
   * item.
   */
  failsAll: (error: unknown) => boolean;
}

/** An item with the promise of its caller. */
interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/**
 * Collects the items of one turn of the event loop, and those that arrive during a batch, into one batch. Under load
 * many items share a round trip and a commit; a single item waits only for the end of its turn. Two half-full batches
 * cost the database more than one full batch, so a second one starts only when it is full.
 */
export class MicroBatcher<Item, Result> {
  private waiting: Waiting<Item, Result>[] = [];
  private running = 0;
  private startsSoon = false;

  constructor(private readonly options: BatcherOptions<Item, Result>) {}

  /** Executes an item, possibly in a batch with others. */
  execute(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      this.startSoon();
    });
  }

  private startSoon(): void {
    if (this.startsSoon) return;
    this.startsSoon = true;
    // A batch belongs to none of its callers' traces: each shows how long it waited for its result.
    untraced(() =>
      setImmediate(() => {
        this.startsSoon = false;
        while (this.mayStart()) this.start();
      }),
    );
  }

  private mayStart(): boolean {
    const { size, concurrency } = this.options;
    if (this.running === 0) return this.waiting.length > 0;
    return this.running < concurrency && this.waiting.length >= size;
  }

  private start(): void {
    const { size, compare } = this.options;
    const batch = this.waiting.splice(0, size).sort((a, b) => compare(a.item, b.item));
    this.running++;
    void this.runBatch(batch).finally(() => {
      this.running--;
      this.startSoon();
    });
  }

  private async runBatch(batch: Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.options.run(batch.map(({ item }) => item));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
    } catch (error) {
      if (batch.length === 1 || this.options.failsAll(error)) return batch.forEach(({ reject }) => reject(error));
      // A faulty item must not fail the others.
      for (const one of batch) await this.runBatch([one]);
    }
  }
}

/** A batcher for each customer. Customers without an operation in progress take no memory. */
export class CustomerBatchers<Item extends { customerId: string }, Result> implements Batcher<Item, Result> {
  private readonly batchers = new Map<string, { batcher: Batcher<Item, Result>; inProgress: number }>();

  constructor(private readonly create: (customerId: string) => Batcher<Item, Result>) {}

  /** Executes an operation in a batch with others of its customer. */
  async execute(item: Item): Promise<Result> {
    const { customerId } = item;
    const own = this.batchers.get(customerId) ?? { batcher: this.create(customerId), inProgress: 0 };
    this.batchers.set(customerId, own);
    own.inProgress++;
    try {
      return await own.batcher.execute(item);
    } finally {
      if (--own.inProgress === 0) this.batchers.delete(customerId);
    }
  }
}
