/** Tells the calendar day in a time zone. */
export class BillingDay {
  private readonly format: Intl.DateTimeFormat;

  constructor(timeZone: string) {
    // Swedish dates are written as ISO 8601 has them.
    this.format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' });
  }

  /** `YYYY-MM-DD`. */
  at(time: Date): string {
    return this.format.format(time);
  }

  /** Seconds until the next day begins, to the hour's quarter that time zones change by. */
  secondsLeft(time: Date): number {
    const day = this.at(time);
    const quarter = 900_000;
    let next = Math.ceil((time.getTime() + 1) / quarter) * quarter;
    while (this.at(new Date(next)) === day) next += quarter;
    return Math.ceil((next - time.getTime()) / 1000);
  }
}
