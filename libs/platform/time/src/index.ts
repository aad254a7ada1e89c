export { BillingCalendar } from './billing-calendar';
export { BillingCalendarModule } from './billing-calendar.module';
export { timeText } from './time-text';
