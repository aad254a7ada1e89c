import { setImmediate } from 'node:timers/promises';

/**
 * Spreads work that keeps the process busy: one piece for each turn of the event loop, so that whatever else waits is
 * done in between.
 */
export class EventLoopTurns {
  private last = Promise.resolve();

  /** Resolves in a turn in which no other does. */
  next(): Promise<void> {
    this.last = this.last.then(() => setImmediate());
    return this.last;
  }
}
