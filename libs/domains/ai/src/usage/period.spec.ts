import { loadConfig } from '@platform/config';
import { BillingCalendar } from '@platform/time';
import { momentsOf } from './period';

const OSLO = new BillingCalendar(loadConfig({ BILLING_TIMEZONE: 'Europe/Oslo' }));

describe('momentsOf', () => {
  it('takes the closer one of two bounds', () => {
    const days = { from: '2026-01-01', to: '2026-12-31' };
    const moments = { createdAfter: '2026-06-01T00:00:00.000000Z', createdBefore: '2026-07-01T00:00:00.000000Z' };
    const june = { start: moments.createdAfter, end: moments.createdBefore };
    expect(momentsOf({ ...days, ...moments }, OSLO)).toEqual(june);
    expect(
      momentsOf(
        { ...days, createdAfter: '2020-01-01T00:00:00.000000Z', createdBefore: '2030-01-01T00:00:00.000000Z' },
        OSLO,
      ),
    ).toEqual({ start: '2025-12-31T23:00:00.000000Z', end: '2026-12-31T23:00:00.000000Z' });
  });

  it('is open where no bound is given', () => {
    expect(momentsOf({}, OSLO)).toEqual({ start: null, end: null });
  });
});
