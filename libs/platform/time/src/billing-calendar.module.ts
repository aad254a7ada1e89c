import { Module } from '@nestjs/common';
import { BillingCalendar } from './billing-calendar';

/** The calendar of AI credit, shared by the API, the worker and the operator's programs. */
@Module({ providers: [BillingCalendar], exports: [BillingCalendar] })
export class BillingCalendarModule {}
