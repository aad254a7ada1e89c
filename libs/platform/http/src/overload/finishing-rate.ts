/** Period over which the rate is averaged, in milliseconds. */
const AVERAGED_MS = 300;

/** The rate of finished requests. */
export class FinishingRate {
  private finished = 0;
  private average = 0;

  /** Requests per second, averaged. */
  get perSecond(): number {
    return this.average;
  }

  /** Counts a finished request. */
  count(): void {
    this.finished++;
  }

  /** Adds the requests that were counted in the last `ms` milliseconds to the average. */
  measure(ms: number): void {
    const weight = Math.min(1, ms / AVERAGED_MS);
    this.average += weight * ((this.finished / ms) * 1000 - this.average);
    this.finished = 0;
  }
}
