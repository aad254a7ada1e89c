import { Module } from '@nestjs/common';
import { BillingCalendar } from './billing-calendar';
import { Clock } from './clock';

/** The clock and the calendar that AI credit follows: what the API, the worker and the operator's programs share. */
@Module({ providers: [Clock, BillingCalendar], exports: [Clock, BillingCalendar] })
export class AiCalendarModule {}
