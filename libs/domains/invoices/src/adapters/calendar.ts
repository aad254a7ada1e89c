/** Tells the calendar date in a time zone. */
export class Calendar {
  private readonly format: Intl.DateTimeFormat;

  constructor(timeZone: string) {
    // Swedish dates are written as ISO 8601 has them.
    this.format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' });
  }

  /** `YYYY-MM-DD`. */
  dateOf(time: Date): string {
    return this.format.format(time);
  }
}
