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
  /** Batches under way at most. One beside another starts only when it is full. */
  concurrency: number;
  /** Tells failures that would hit every item alike: a batch that fails so is not taken apart. */
  failsAll: (error: unknown) => boolean;
}

/**
 * Collects what arrives in one turn of the event loop, and while a batch is under way, into one batch: under load many
 * items share a round trip and a commit, and a lone item waits for nothing but the end of its turn. Two half batches side
 * by side cost the database more than one whole: a second starts only when it is full.
 */
export class MicroBatcher<Item, Result> {
  private waiting: Waiting<Item, Result>[] = [];
  private running = 0;
  private startsSoon = false;

  constructor(private readonly options: BatcherOptions<Item, Result>) {}

  /** Does an item, sooner or later together with others. */
  do(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      this.startSoon();
    });
  }

  private startSoon(): void {
    if (this.startsSoon) return;
    this.startsSoon = true;
    setImmediate(() => {
      this.startsSoon = false;
      while (this.mayStart()) this.start();
    });
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
      batch.forEach(({ resolve }, index) => resolve(results[index] as Result));
    } catch (error) {
      if (batch.length === 1 || this.options.failsAll(error)) return batch.forEach(({ reject }) => reject(error));
      // One item's fault must not fail the others.
      for (const one of batch) await this.runBatch([one]);
    }
  }
}
