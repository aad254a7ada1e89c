import { BillingDay } from './billing-day';

describe('BillingDay', () => {
  const oslo = new BillingDay('Europe/Oslo');

  it.each([
    ['2026-11-20T22:59:59Z', '2026-11-20', 1],
    ['2026-11-20T23:00:00Z', '2026-11-21', 86_400],
    ['2026-07-01T21:59:59Z', '2026-07-01', 1],
    // Clocks go back: the day has 25 hours.
    ['2026-10-24T22:00:00Z', '2026-10-25', 90_000],
    ['2026-03-28T23:00:00Z', '2026-03-29', 82_800],
  ])('at %s is %s, with %i seconds left', (time, day, left) => {
    expect(oslo.at(new Date(time))).toBe(day);
    expect(oslo.secondsLeft(new Date(time))).toBe(left);
  });
});
