/** Requests of one key in its present window. */
interface Window {
  hits: number;
  /** On the clock of `performance.now()`, in milliseconds. */
  readonly endsAt: number;
}

/** A count after a request. */
export interface RequestCount {
  /** Requests in the window, this one included. */
  totalHits: number;
  /** Milliseconds until the window ends. */
  msBeforeNext: number;
}

/**
 * Counts requests in this process, in windows of one length. A window begins with the first request after the last one
 * ended. Counting is synchronous and without timers: every request counts twice.
 */
export class RequestCounts {
  /** All windows have one length, so the order of insertion is the order in which they end. */
  private readonly windows = new Map<string, Window>();

  constructor(private readonly windowMs: number) {}

  /** Keys in memory. */
  get size(): number {
    return this.windows.size;
  }

  count(key: string): RequestCount {
    const now = performance.now();
    let window = this.windows.get(key);
    if (!window || window.endsAt <= now) {
      this.forgetEnded(now);
      window = { hits: 0, endsAt: now + this.windowMs };
      this.windows.set(key, window);
    }
    // Whole milliseconds: subtracted, those of a window just begun would be a little more than its length.
    return { totalHits: ++window.hits, msBeforeNext: Math.round(window.endsAt - now) };
  }

  private forgetEnded(now: number): void {
    for (const [key, { endsAt }] of this.windows) {
      if (endsAt > now) return;
      this.windows.delete(key);
    }
  }
}
