import { setImmediate } from 'node:timers/promises';

/** Spreads CPU-intensive work: one piece per turn of the event loop, so that other work runs in between. */
export class EventLoopTurns {
  private last = Promise.resolve();

  /** Resolves in a turn in which no other piece of work runs. */
  next(): Promise<void> {
    this.last = this.last.then(() => setImmediate());
    return this.last;
  }
}
