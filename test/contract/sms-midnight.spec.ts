import { createSmsFixture, type SmsFixture } from '@test/sms.fixture';
import { setDatabaseClock } from '@test/database-clock';

/** Midnight in the billing time zone, by the database's clock, also on days with 23 or 25 hours. */
describe('the midnight at which the SMS cap begins anew', () => {
  let fixture: SmsFixture;
  beforeAll(async () => (fixture = await createSmsFixture({ BILLING_TIMEZONE: 'Atlantic/Azores' })));
  afterAll(() => fixture.close());

  it.each([
    ['in winter, an hour behind UTC', '2026-02-01T00:59:30Z', 30, '2026-02-01T01:00:00Z'],
    ['in summer, with UTC', '2026-07-01T23:00:00.250Z', 3600, '2026-07-02T00:00:00Z'],
    ['on the night of 25 hours', '2026-10-25T00:00:00Z', 25 * 3600, '2026-10-26T01:00:00Z'],
    ['on the evening before it, whose midnight is there twice', '2026-10-24T23:59:30Z', 30, '2026-10-25T00:00:00Z'],
    ['on the evening before the night of 23 hours', '2026-03-29T00:59:30Z', 30, '2026-03-29T01:00:00Z'],
  ])('ends at midnight %s', async (_when, last, secondsLeft, next) => {
    const customerId = await fixture.customer(1);
    await setDatabaseClock(fixture.superuser, { standsAt: last });
    const sent = await fixture.send(customerId);
    expect(new Date(sent.createdAt)).toEqual(new Date(last));
    await expect(fixture.send(customerId)).rejects.toMatchObject({
      code: 'rate_limited',
      options: { retryAfterSeconds: secondsLeft },
    });
    await setDatabaseClock(fixture.superuser, { standsAt: next });
    await expect(fixture.send(customerId)).resolves.toMatchObject({ errorCode: null });
  });
});
