import { Injectable } from '@nestjs/common';
import { AppConfig } from '@app/config';
import { Clock } from './clock';

const MINUTE_MS = 60_000;

/** The months that AI credit follows: calendar months in BILLING_TIMEZONE. */
@Injectable()
export class BillingCalendar {
  private readonly format: Intl.DateTimeFormat;
  private minute = NaN;
  private month = '';

  constructor(
    private readonly config: AppConfig,
    private readonly clock: Clock,
  ) {
    this.format = new Intl.DateTimeFormat('en-CA', {
      timeZone: config.BILLING_TIMEZONE,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
    });
  }

  /** The present moment and the month it is in. */
  present(): { now: Date; month: string } {
    const now = this.clock.now();
    // Every zone's months begin on a whole minute, so what holds for one moment of it holds for the minute.
    const minute = Math.floor(now.getTime() / MINUTE_MS);
    if (minute !== this.minute) {
      this.minute = minute;
      this.month = this.dateOf(now).slice(0, 7);
    }
    return { now, month: this.month };
  }

  /** The moment at which a day (`YYYY-MM-DD`) begins. */
  startOf(date: string): Date {
    const midnight = Date.parse(`${date}T00:00:00Z`);
    // The zone's distance from UTC may change that very night, so it is taken near the result.
    const near = midnight - this.offsetAt(midnight);
    return new Date(midnight - this.offsetAt(near));
  }

  private offsetAt(instant: number): number {
    const local = new Date(instant).toLocaleString('sv-SE', { timeZone: this.config.BILLING_TIMEZONE });
    return Date.parse(`${local.replace(' ', 'T')}Z`) - instant;
  }

  /** The day (`YYYY-MM-DD`) of a moment. */
  dateOf(moment: Date): string {
    return this.format.format(moment);
  }
}
