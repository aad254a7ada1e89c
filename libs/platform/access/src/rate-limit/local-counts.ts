import { type RequestCount, requestCount } from './request-count';

interface Window {
  hits: number;
  endsAt: number;
}

/**
 * Counts in this process. A window begins with the first request after the last one ended. Every request passes here
 * twice, so counting neither waits nor sets timers; windows that have ended are swept now and then.
 */
export class LocalCounts {
  private readonly windows = new Map<string, Window>();
  private readonly sweeper: NodeJS.Timeout;

  constructor(private readonly windowMs: number) {
    this.sweeper = setInterval(() => this.sweep(), windowMs).unref();
  }

  /** Counts a request. */
  count(key: string): RequestCount {
    const now = performance.now();
    let window = this.windows.get(key);
    if (!window || window.endsAt <= now) {
      window = { hits: 0, endsAt: now + this.windowMs };
      this.windows.set(key, window);
    }
    window.hits++;
    return requestCount(window.hits, window.endsAt - now);
  }

  /** Ends the sweeping. */
  stop(): void {
    clearInterval(this.sweeper);
  }

  private sweep(): void {
    const now = performance.now();
    for (const [key, { endsAt }] of this.windows) if (endsAt <= now) this.windows.delete(key);
  }
}
