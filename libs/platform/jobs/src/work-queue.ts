/** A piece of work. It names what the work is about and holds nothing else: what is to be done stands in the domain's tables. */
export interface QueueItem {
  /** Tells it from the other items of its queue; the empty text where a queue has one item only. */
  key: string;
  /** Seconds from now, by the database's clock, before which nobody takes it. 0 without. */
  delaySeconds?: number;
}

/** A queue and what is done with its items. Any number of workers share it; an item is with one of them at a time. */
export interface WorkQueue {
  /** Such as `invoices.sync-stripe`. */
  name: string;
  /** Items that one worker has under way at a time. */
  concurrency: number;
  /** Milliseconds between two looks of a worker that found less than it could have taken. At least 500. */
  lookEveryMs: number;
  /** Longest an item may take. Then its signal ends it, and a little later it is given to another worker. */
  deadlineMs: number;
  /**
   * What is refused while an item with the same key is there: `waiting` allows one that waits beside one under way,
   * `waiting-or-running` does not.
   */
  unique: 'waiting' | 'waiting-or-running';
  /** An item that is put into the queue when a worker starts, unless it is there. */
  first?: QueueItem;
  /**
   * Does the work; must be safe to repeat. The signal tells that the worker stops, that the deadline has passed, or that the
   * item was given to another worker. What it throws is logged, and the item is tried again a few seconds later.
   */
  handle(key: string, signal: AbortSignal): Promise<void>;
}
