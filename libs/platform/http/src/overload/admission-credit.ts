/** Minimum number of requests per second that are accepted, to measure how long they wait. */
const MIN_PER_SECOND = 10;
/**
 * Credit that is kept, as the requests finished in this time: requests do not arrive evenly, and too many at once could not
 * be served in time.
 */
const KEPT_MS = 25;
/** Minimum credit that is kept. */
const MIN_KEPT = 2;

/** The number of requests that may be accepted: finished requests earn it. */
export class AdmissionCredit {
  private left = 0;
  private earned = 0;
  private most = MIN_KEPT;

  /** Spends the credit for one request. @returns whether there was enough */
  spend(): boolean {
    if (this.left < 1) return false;
    this.left--;
    return true;
  }

  /** Adds the credit for a finished request. */
  earn(amount: number): void {
    this.earned += amount;
    this.left = Math.min(this.most, this.left + amount);
  }

  /**
   * Adds what is missing to a minimum rate over the last `ms` milliseconds, and sets the maximum that is kept.
   */
  refill(leastPerSecond: number, finishedPerSecond: number, ms: number): void {
    this.most = Math.max(MIN_KEPT, (finishedPerSecond * KEPT_MS) / 1000);
    const least = (Math.max(MIN_PER_SECOND, leastPerSecond) * Math.min(ms, KEPT_MS)) / 1000;
    this.left = Math.min(this.most, this.left + Math.max(0, least - this.earned));
    this.earned = 0;
  }

  clear(): void {
    this.left = this.earned = 0;
  }
}
