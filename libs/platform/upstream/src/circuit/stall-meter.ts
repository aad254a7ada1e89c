const TICK_MS = 50;
/** Lateness that does not count: timers are never exact. */
const GRACE_MS = 50;

/**
 * Measures stalls of this process: garbage collection, a long computation, a suspended machine. Time-outs during a
 * stall say nothing about an upstream.
 */
export class StallMeter {
  private total = 0;
  private tickAt = performance.now();
  private readonly timer = setInterval(() => this.tick(), TICK_MS).unref();

  /** Milliseconds of stalls since the start. */
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
