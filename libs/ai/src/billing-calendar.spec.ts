import { loadConfig } from '@app/config';
import { BillingCalendar } from './billing-calendar';

describe('BillingCalendar', () => {
  const at = (instant: string, zone: string) =>
    new BillingCalendar(loadConfig({ BILLING_TIMEZONE: zone }), { now: () => new Date(instant) }).present().month;

  it.each([
    ['2026-10-31T22:59:59.999Z', 'Europe/Oslo', '2026-10'],
    ['2026-10-31T23:00:00.000Z', 'Europe/Oslo', '2026-11'],
    // Summer time: midnight comes an hour earlier in UTC.
    ['2026-06-30T21:59:59.999Z', 'Europe/Oslo', '2026-06'],
    ['2026-06-30T22:00:00.000Z', 'Europe/Oslo', '2026-07'],
    ['2026-12-31T23:30:00.000Z', 'Europe/Oslo', '2027-01'],
    ['2026-12-31T23:30:00.000Z', 'UTC', '2026-12'],
    ['2027-01-01T04:59:59.000Z', 'America/New_York', '2026-12'],
  ])('%s in %s is in %s', (instant, zone, month) => {
    expect(at(instant, zone)).toBe(month);
  });

  it.each([
    ['2026-11-01', '2026-10-31T23:00:00.000Z'],
    ['2026-07-01', '2026-06-30T22:00:00.000Z'],
    // The nights before the clock changes.
    ['2026-03-29', '2026-03-28T23:00:00.000Z'],
    ['2026-10-25', '2026-10-24T22:00:00.000Z'],
    ['2026-10-26', '2026-10-25T23:00:00.000Z'],
  ])('%s begins at %s', (date, instant) => {
    const calendar = new BillingCalendar(loadConfig({ BILLING_TIMEZONE: 'Europe/Oslo' }), { now: () => new Date() });
    expect(calendar.startOf(date).toISOString()).toBe(instant);
    expect(calendar.dateOf(new Date(instant))).toBe(date);
  });
});
