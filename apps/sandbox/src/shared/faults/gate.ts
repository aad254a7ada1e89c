import { CountLatch } from './count-latch';

/** Holds replies back until a test lets them go: the request has been received and worked on, its answer waits. */
export class Gate {
  private readonly held: (() => void)[] = [];
  private readonly latch = new CountLatch();
  private opened = false;

  /** @internal called for each answer about to be written */
  enter(): Promise<void> {
    if (this.opened) return Promise.resolve();
    return new Promise((resolve) => {
      this.held.push(resolve);
      this.latch.reach(this.held.length);
    });
  }

  /** How many answers wait at this moment, those whose client has gone included. */
  get waiting(): number {
    return this.held.length;
  }

  /** Resolves as soon as `count` answers wait at the same time. */
  holding(count: number): Promise<void> {
    this.latch.reach(this.held.length);
    return this.latch.reached(count);
  }

  /** Lets the answers that came first go, all that wait if no count is given. Later ones still wait. */
  release(count = this.held.length): void {
    for (const go of this.held.splice(0, count)) go();
    this.latch.drop(this.held.length);
  }

  /** Lets every answer go, now and from now on. */
  open(): void {
    this.opened = true;
    this.release();
  }
}
