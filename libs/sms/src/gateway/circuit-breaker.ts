/** After how many failures in a row calls stop, and for how long. */
export interface CircuitSettings {
  failures: number;
  openMs: number;
}

/** Spares an upstream that is down, and callers the wait for it. One call at a time is let through to see whether it is back. */
export class CircuitBreaker {
  private failures = 0;
  private openUntil = 0;
  private probing = false;

  constructor(
    private readonly settings: CircuitSettings,
    private readonly now: () => number = Date.now,
  ) {}

  /** Asks for leave to call. Whoever gets it must report {@link succeeded} or {@link failed}. */
  tryEnter(): boolean {
    if (this.failures < this.settings.failures) return true;
    if (this.probing || this.now() < this.openUntil) return false;
    this.probing = true;
    return true;
  }

  /** The upstream answered, whatever it said. */
  succeeded(): void {
    this.failures = 0;
    this.probing = false;
  }

  /** The upstream did not answer, or not as one that works. */
  failed(): void {
    this.failures++;
    this.probing = false;
    if (this.failures >= this.settings.failures) this.openUntil = this.now() + this.settings.openMs;
  }
}
