import { Injectable } from '@nestjs/common';
import { AppConfig } from '@app/config';
import { Clock } from './clock';

/** The months that AI credit follows: calendar months in BILLING_TIMEZONE. */
@Injectable()
export class BillingCalendar {
  private readonly format: Intl.DateTimeFormat;

  constructor(
    { BILLING_TIMEZONE }: AppConfig,
    private readonly clock: Clock,
  ) {
    this.format = new Intl.DateTimeFormat('en-CA', {
      timeZone: BILLING_TIMEZONE,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
    });
  }

  /** The present moment and the month it is in. */
  present(): { now: Date; month: string } {
    const now = this.clock.now();
    return { now, month: this.dateOf(now).slice(0, 7) };
  }

  /** The day (`YYYY-MM-DD`) of a moment. */
  dateOf(moment: Date): string {
    return this.format.format(moment);
  }
}
