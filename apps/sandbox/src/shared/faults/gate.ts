/** Holds replies back until a test releases them: the request has been received and processed, its reply waits. */
export class Gate {
  private readonly held: (() => void)[] = [];
  private readonly latch = new CountLatch();
  private opened = false;

  /** @internal called for each reply before it is written */
  enter(): Promise<void> {
    if (this.opened) return Promise.resolve();
    return new Promise((resolve) => {
      this.held.push(resolve);
      this.latch.reach(this.held.length);
    });
  }

  /** Number of replies that wait now, including those whose client has disconnected. */
  get waiting(): number {
    return this.held.length;
  }

  /** Resolves when `count` replies wait at the same time. */
  holding(count: number): Promise<void> {
    this.latch.reach(this.held.length);
    return this.latch.reached(count);
  }

  /** Releases the oldest waiting replies, by default all of them. Later ones still wait. */
  release(count = this.held.length): void {
    for (const go of this.held.splice(0, count)) go();
    this.latch.drop(this.held.length);
  }

  /** Releases every reply, now and from now on. */
  open(): void {
    this.opened = true;
    this.release();
  }
}

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
