/** Number of measurements whose minimum is taken. */
const COUNT = 3;

/** The minimum of the latest waiting times: a single long one is a pause, not a queue. */
export class StandingWait {
  private readonly latest: number[] = [];

  /** Adds a measurement, in milliseconds. @returns the minimum */
  add(waitMs: number): number {
    this.latest.push(waitMs);
    if (this.latest.length > COUNT) this.latest.shift();
    return Math.min(...this.latest);
  }
}
