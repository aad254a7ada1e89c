const EVERY_MS = 20;

/** Measures the event loop's delay: how long a new request waits before it is handled. */
export class LoopDelay {
  private latest = 0;
  private due = performance.now() + EVERY_MS;
  private readonly timer = setInterval(() => this.note(), EVERY_MS).unref();

  /** The delay in milliseconds, averaged over about a tenth of a second. */
  get ms(): number {
    return this.latest;
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private note(): void {
    const now = performance.now();
    this.latest += 0.3 * (Math.max(0, now - this.due) - this.latest);
    this.due = now + EVERY_MS;
  }
}
