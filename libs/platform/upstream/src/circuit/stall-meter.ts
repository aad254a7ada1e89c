const TICK_MS = 50;
/** Lateness that is none: timers are never exact. */
const GRACE_MS = 50;

/**
 * Knows when this process itself stood still: garbage collection, a long computation, a suspended machine. What times
 * out meanwhile says nothing about an upstream.
 */
export class StallMeter {
  private total = 0;
  private tickAt = performance.now();
  private readonly timer = setInterval(() => this.tick(), TICK_MS).unref();

  /** Milliseconds that the process has stood still since it began, up to this moment. */
  get stalledMs(): number {
    return this.total + this.lateness();
  }

  /** Stops measuring. */
  stop(): void {
    clearInterval(this.timer);
  }

  private tick(): void {
    this.total += this.lateness();
    this.tickAt = performance.now();
  }

  private lateness(): number {
    const late = performance.now() - this.tickAt - TICK_MS;
    return late > GRACE_MS ? late : 0;
  }
}
