/** What one caller wants of a batch, and the caller's promise. */
interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/** How a batcher batches. */
export interface BatcherOptions<Item, Result> {
  /** Does the items of a batch; the results in the same order. All or nothing: a failure means that nothing was done. */
  run: (items: Item[]) => Promise<Result[]>;
  /** Orders a batch. All batches in one order can't deadlock. */
  compare: (a: Item, b: Item) => number;
  /** Items per batch at most. */
  size: number;
  /** Batches under way at most. */
  concurrency: number;
  /** Tells failures that would hit every item alike: a batch that fails so is not taken apart. */
  failsAll: (error: unknown) => boolean;
}

/**
 * Collects what arrives while batches are under way into the next batch: under load many items share a round trip and a
 * commit, and a lone item waits for nothing.
 */
export class MicroBatcher<Item, Result> {
  private waiting: Waiting<Item, Result>[] = [];
  private running = 0;

  constructor(private readonly options: BatcherOptions<Item, Result>) {}

  /** Does an item, sooner or later together with others. */
  do(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      this.start();
    });
  }

  private start(): void {
    while (this.running < this.options.concurrency && this.waiting.length > 0) {
      const batch = this.waiting.splice(0, this.options.size).sort((a, b) => this.options.compare(a.item, b.item));
      this.running++;
      void this.runBatch(batch).finally(() => {
        this.running--;
        this.start();
      });
    }
  }

  private async runBatch(batch: Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.options.run(batch.map(({ item }) => item));
      batch.forEach(({ resolve }, index) => resolve(results[index] as Result));
    } catch (error) {
      if (batch.length === 1 || this.options.failsAll(error)) return batch.forEach(({ reject }) => reject(error));
      // One item's fault must not fail the others.
      for (const one of batch) await this.runBatch([one]);
    }
  }
}
