import { loadConfig } from '@platform/config';
import { BillingCalendar } from './billing-calendar';

describe('BillingCalendar', () => {
  it.each([
    ['2026-11-01', '2026-10-31T23:00:00.000Z'],
    ['2026-07-01', '2026-06-30T22:00:00.000Z'],
    // The nights before daylight saving time begins and ends.
    ['2026-03-29', '2026-03-28T23:00:00.000Z'],
    ['2026-10-25', '2026-10-24T22:00:00.000Z'],
    ['2026-10-26', '2026-10-25T23:00:00.000Z'],
    ['9999-12-31', '9999-12-30T23:00:00.000Z'],
  ])('%s begins at %s', (date, instant) => {
    const calendar = new BillingCalendar(loadConfig({ BILLING_TIMEZONE: 'Europe/Oslo' }));
    expect(calendar.startOf(date).toISOString()).toBe(instant);
    expect(calendar.dateOf(new Date(instant))).toBe(date);
  });

  it('knows no beginning of a day whose year has fewer than four digits', () => {
    const calendar = new BillingCalendar(loadConfig({ BILLING_TIMEZONE: 'Europe/Oslo' }));
    expect(calendar.startOf('1000-01-01').getUTCFullYear()).toBe(999);
    expect(() => calendar.startOf('0999-12-31')).toThrow('The day 0999-12-31 is too long ago');
  });
});
