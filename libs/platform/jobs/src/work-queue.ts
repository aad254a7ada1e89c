/** An item of work. It contains only a key: the data is in the domain's tables. */
export interface QueueItem {
  /** Unique within the queue; the empty text in a queue with one item. */
  key: string;
  /** Seconds from now, by the database's clock, until the item may be fetched. Default 0. */
  delaySeconds?: number;
}

/** A queue with its handler. Any number of workers share it; one worker has an item at a time. */
export interface WorkQueue {
  /** Such as `invoices.sync-stripe`. */
  name: string;
  /** Number of items that one worker processes at a time. */
  concurrency: number;
  /** Milliseconds between two polls of a worker with free slots. At least 500. */
  lookEveryMs: number;
  /** Maximum duration of an item. Then its signal aborts, and a little later another worker gets it. */
  deadlineMs: number;
  /**
   * When an item with an existing key is refused: `waiting` allows one that waits beside one that runs,
   * `waiting-or-running` does not.
   */
  unique: 'waiting' | 'waiting-or-running';
  /** An item that is added when a worker starts, unless it exists. */
  first?: QueueItem;
  /**
   * Processes an item; must be idempotent. The signal aborts when the worker stops, the deadline has passed, or another
   * worker got the item. An error is logged, and the item is retried a few seconds later.
   */
  handle(key: string, signal: AbortSignal): Promise<void>;
}
