import { Module } from '@nestjs/common';
import { BillingCalendar } from './billing-calendar';

/** The calendar that AI credit follows: what the API, the worker and the operator's programs share. */
@Module({ providers: [BillingCalendar], exports: [BillingCalendar] })
export class BillingCalendarModule {}
