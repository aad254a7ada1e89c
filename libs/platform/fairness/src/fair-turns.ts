import { AsyncLocalStorage } from 'node:async_hooks';

/** Time of a turn of the event loop after which requests wait for a later one, in milliseconds. */
const SLICE_MS = 8;
/** Requests that begin in one turn at most; each lets its own work be done before the next. */
const MOST_A_TURN = 64;

interface Waiting {
  begin: () => void;
  since: number;
}

/**
 * Lets parties take turns at the event loop. While a turn is short, every request begins at once. When one party sends many at a time,
 * Node hands all of them over in one turn, and whoever else asks or waits for the database would wait for their work at each step. So
 * after some milliseconds requests wait, one queue for each party, and begin in later turns, one of each party after the other.
 */
export class FairTurns {
  /** When the first request of the present turn came. */
  private turnBegan?: number | undefined;
  /** By party, the one whose turn is next first. */
  private readonly queues = new Map<string, Waiting[]>();
  private count = 0;
  /** Steps that are scheduled for the next turn, and when the first of them ran. */
  private steps = 0;
  private stepsBegan?: number | undefined;

  /** Whether a request has to wait. */
  get isLate(): boolean {
    if (this.count > 0) return true;
    const now = performance.now();
    if (this.turnBegan === undefined) {
      this.turnBegan = now;
      setImmediate(() => (this.turnBegan = undefined));
    }
    return now - this.turnBegan > SLICE_MS;
  }

  /** How many requests wait. */
  get waiting(): number {
    return this.count;
  }

  /** How long the first of those that wait has waited, in milliseconds. */
  get longestMs(): number {
    let since = Infinity;
    for (const [first] of this.queues.values()) if (first && first.since < since) since = first.since;
    return since === Infinity ? 0 : performance.now() - since;
  }

  /** Begins a request when it is its party's turn. */
  wait(party: string, begin: () => void): void {
    const queue = this.queues.get(party);
    // In the context of the request, such as its trace: steps run in that of another one.
    const inContext = AsyncLocalStorage.snapshot();
    const waiting = { begin: () => inContext(begin), since: performance.now() };
    if (queue) queue.push(waiting);
    else this.queues.set(party, [waiting]);
    this.count++;
    this.schedule();
  }

  private schedule(): void {
    if (this.steps > 0) return;
    this.steps = Math.min(this.count, MOST_A_TURN);
    this.stepsBegan = undefined;
    // Each by itself: what a request does at once, in promises too, is done before the next step.
    for (let step = 0; step < this.steps; step++) setImmediate(this.step);
  }

  private readonly step = (): void => {
    this.steps--;
    const now = performance.now();
    this.stepsBegan ??= now;
    const begin = now - this.stepsBegan < SLICE_MS ? this.next() : undefined;
    if (this.steps === 0 && this.count > 0) this.schedule();
    begin?.();
  };

  /** The first request of the first party, whose turn comes last then. */
  private next(): (() => void) | undefined {
    for (const [party, queue] of this.queues) {
      const first = queue.shift();
      this.queues.delete(party);
      if (queue.length > 0) this.queues.set(party, queue);
      if (!first) continue;
      this.count--;
      return first.begin;
    }
    return undefined;
  }
}
