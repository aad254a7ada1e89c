export { BillingCalendar } from './billing-calendar';
export { BillingCalendarModule } from './billing-calendar.module';
export { timeSql, timeText } from './time-text';
