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

  it.each([
    ['America/Santiago', '2026-09-06', '2026-09-06T04:00:00.000Z'],
    ['Atlantic/Azores', '2026-03-29', '2026-03-29T01:00:00.000Z'],
    ['Africa/Cairo', '2026-04-24', '2026-04-23T22:00:00.000Z'],
    // Midnight is there twice.
    ['America/Havana', '2026-11-01', '2026-11-01T04:00:00.000Z'],
    ['Africa/Cairo', '2026-10-30', '2026-10-29T22:00:00.000Z'],
    // The clocks change between this midnight and that of UTC.
    ['Pacific/Auckland', '2026-04-05', '2026-04-04T11:00:00.000Z'],
    ['Pacific/Auckland', '2026-09-27', '2026-09-26T12:00:00.000Z'],
  ])('in %s, %s begins at %s, where the clocks change at midnight, or near it', (zone, date, instant) => {
    const calendar = new BillingCalendar(loadConfig({ BILLING_TIMEZONE: zone }));
    const start = calendar.startOf(date);
    expect(start.toISOString()).toBe(instant);
    const before = new Date(start.getTime() - 1);
    expect([calendar.dateOf(before), calendar.dateOf(start)]).toEqual([calendar.daysAfter(date, -1), date]);
  });

  it('knows no beginning of a day whose year has fewer than four digits', () => {
    const calendar = new BillingCalendar(loadConfig({ BILLING_TIMEZONE: 'Europe/Oslo' }));
    expect(calendar.startOf('1000-01-01').getUTCFullYear()).toBe(999);
    expect(() => calendar.startOf('0999-12-31')).toThrow('The day 0999-12-31 is too long ago');
  });
});
