/** The calendar date of a time in a time zone. */
export class Calendar {
  private readonly format: Intl.DateTimeFormat;

  constructor(timeZone: string) {
    // The Swedish locale formats dates as ISO 8601.
    this.format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' });
  }

  /** `YYYY-MM-DD`. */
  dateOf(time: Date): string {
    return this.format.format(time);
  }
}
