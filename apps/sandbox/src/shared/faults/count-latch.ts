/** Lets callers wait until a count has been reached. */
export class CountLatch {
  private count = 0;
  private waiters: { count: number; resolve: () => void }[] = [];

  reach(count: number): void {
    this.count = count;
    if (this.waiters.length === 0) return;
    const ready = this.waiters.filter((waiter) => waiter.count <= count);
    this.waiters = this.waiters.filter((waiter) => waiter.count > count);
    for (const waiter of ready) waiter.resolve();
  }

  /** Lowers the count, which resolves no waiting call. */
  drop(count: number): void {
    this.count = count;
  }

  reached(count: number): Promise<void> {
    if (this.count >= count) return Promise.resolve();
    return new Promise((resolve) => this.waiters.push({ count, resolve }));
  }
}
