import { CountLatch } from './count-latch';

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
