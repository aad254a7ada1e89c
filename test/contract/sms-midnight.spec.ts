import { openSmsRoom, type SmsRoom } from '@test/sms-room';
import { setDatabaseClock } from '@test/database-clock';

/** Midnight of the billing time zone, on the database's clock, also where days have 23 or 25 hours. */
describe('the midnight at which the SMS cap begins anew', () => {
  let room: SmsRoom;
  beforeAll(async () => (room = await openSmsRoom({ BILLING_TIMEZONE: 'Europe/Oslo' })));
  afterAll(() => room.close());

  it.each([
    ['in winter, an hour ahead of UTC', '2026-01-31T22:59:30Z', 30, '2026-01-31T23:00:00Z'],
    ['in summer, two hours ahead', '2026-07-01T21:00:00.250Z', 3600, '2026-07-01T22:00:00Z'],
    ['on the night of 25 hours', '2026-10-24T22:00:00Z', 25 * 3600, '2026-10-25T23:00:00Z'],
  ])('ends at midnight %s', async (_when, last, secondsLeft, next) => {
    const customerId = await room.customer(1);
    await setDatabaseClock(room.superuser, { standsAt: last });
    const sent = await room.send(customerId);
    expect(new Date(sent.created_at)).toEqual(new Date(last));
    await expect(room.send(customerId)).rejects.toMatchObject({
      code: 'rate_limited',
      options: { retryAfterSeconds: secondsLeft },
    });
    await setDatabaseClock(room.superuser, { standsAt: next });
    await expect(room.send(customerId)).resolves.toMatchObject({ error_code: null });
  });
});
