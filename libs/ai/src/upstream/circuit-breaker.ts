/** When a breaker opens and how long for. */
export interface BreakerOptions {
  /** Failures in a row that open it. */
  failures: number;
  /** Milliseconds until one call may try again. */
  resetMs: number;
}

/**
 * Stops calls to an upstream that is down, so that callers hear at once instead of waiting for a time-out. After a while
 * a single call tries; its success lets all through again.
 */
export class CircuitBreaker {
  private failures = 0;
  /** When the next call may try, while open. */
  private retryAt = 0;

  constructor(
    private readonly options: BreakerOptions,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Whether the upstream counts as down. */
  get open(): boolean {
    return this.failures >= this.options.failures;
  }

  /** Whether a call may be made now. While open, the one that may is the one that tries. */
  admit(): boolean {
    if (!this.open) return true;
    if (this.now() < this.retryAt) return false;
    this.retryAt = this.now() + this.options.resetMs;
    return true;
  }

  /** The upstream answered, be it with a refusal. */
  succeeded(): void {
    this.failures = 0;
  }

  /** The upstream did not answer, or said that it can't. */
  failed(): void {
    if (++this.failures === this.options.failures) this.retryAt = this.now() + this.options.resetMs;
  }
}
