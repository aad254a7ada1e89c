import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AppConfig } from '@platform/config';
import { ServiceError } from '@platform/errors';

/** The months of AI credit, and the days of invoices and receipts: those of BILLING_TIMEZONE, by the database's clock. */
@Injectable()
export class BillingCalendar {
  /** The IANA name of the zone, for the database functions. */
  readonly timeZone: string;
  private readonly format: Intl.DateTimeFormat;

  constructor({ BILLING_TIMEZONE }: AppConfig) {
    this.timeZone = BILLING_TIMEZONE;
    this.format = new Intl.DateTimeFormat('en-CA', {
      timeZone: BILLING_TIMEZONE,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
    });
  }

  /** The time of a transaction, and its month (`YYYY-MM`). */
  async present(manager: EntityManager): Promise<{ now: Date; month: string }> {
    const [row] = await manager.query<[{ now: Date; month: string }]>(
      'select t.now, app.billing_month(t.now, $1) as month from (select app.now() as now) t',
      [this.timeZone],
    );
    return row;
  }

  /** The time at which a day (`YYYY-MM-DD`) begins. @throws ServiceError invalid_request for one whose year is not written with four digits */
  startOf(date: string): Date {
    if (date < '1000') throw new ServiceError('invalid_request', `The day ${date} is too long ago`);
    const midnight = Date.parse(`${date}T00:00:00Z`);
    // The zone's offset may change in that very night, so it is taken near the result.
    const near = midnight - this.offsetAt(midnight);
    const start = new Date(midnight - this.offsetAt(near));
    // Where the clocks go forward at midnight there is none, and the offset after it leads into the day before.
    return this.dateOf(start) < date ? new Date(near) : start;
  }

  private offsetAt(instant: number): number {
    const local = new Date(instant).toLocaleString('sv-SE', { timeZone: this.timeZone });
    return Date.parse(`${local.replace(' ', 'T')}Z`) - instant;
  }

  /**
   * The day (`YYYY-MM-DD`) a number of days after another. Counted in calendar days: a day on which the clocks change
   * does not have 24 hours.
   */
  daysAfter(date: string, days: number): string {
    const moment = new Date(`${date}T00:00:00Z`);
    moment.setUTCDate(moment.getUTCDate() + days);
    return moment.toISOString().slice(0, 10);
  }

  /** The day (`YYYY-MM-DD`) of a time. */
  dateOf(moment: Date): string {
    return this.format.format(moment);
  }
}
