import { setDatabaseClock } from '@test/database-clock';
import { createSmsFixture, type SmsFixture } from '@test/sms.fixture';

const ALL_BUT_THE_DATE = [
  ...(['hrtime', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate', 'clearImmediate'] as const),
  ...(['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] as const),
];

/** The day of the daily cap: that of the billing time zone, an hour ahead of UTC in November. */
describe('the day of an SMS', () => {
  let fixture: SmsFixture;
  beforeAll(async () => {
    fixture = await createSmsFixture({ BILLING_TIMEZONE: 'Europe/Oslo' });
  });
  afterEach(() => jest.useRealTimers());
  afterAll(() => fixture.close());

  /** Sets the clock of the database, and this process's with it. */
  async function setTime(instant: string): Promise<void> {
    await setDatabaseClock(fixture.superuser, { standsAt: instant });
    jest.useFakeTimers({ now: new Date(instant), doNotFake: [...ALL_BUT_THE_DATE] });
  }

  it('ends at midnight in the billing time zone, not in that of UTC or of the machine', async () => {
    const customer = await fixture.customer(1);
    await setTime('2026-11-20T22:59:50Z');
    await fixture.send(customer);
    await expect(fixture.send(customer)).rejects.toMatchObject({
      code: 'rate_limited',
      options: { retryAfterSeconds: 10 },
    });
    await setTime('2026-11-20T23:00:10Z');
    await fixture.send(customer);
    await expect(fixture.send(customer)).rejects.toMatchObject({ code: 'rate_limited' });
    // Midnight in UTC does not start a new day.
    await setTime('2026-11-21T00:00:10Z');
    await expect(fixture.send(customer)).rejects.toMatchObject({ code: 'rate_limited' });
  });

  it('counts a message that was sent and did not arrive', async () => {
    const customer = await fixture.customer(1);
    fixture.sandbox.elks46.script({ reports: 'failed' });
    await fixture.send(customer);
    await fixture.sandbox.elks46.reportsSettled();
    expect(await fixture.rows(customer)).toMatchObject([{ status: 'failed' }]);
    await expect(fixture.send(customer)).rejects.toMatchObject({ code: 'rate_limited' });
  });

  it('on which a message certainly was not sent is the day it was counted on', async () => {
    const customer = await fixture.customer(1);
    await setTime('2026-11-22T22:59:50Z');
    const gate = fixture.sandbox.elks46.hold();
    fixture.sandbox.elks46.script({ status: 400 });
    const refused = fixture.send(customer).catch((error: unknown) => error);
    await gate.holding(1);
    await setTime('2026-11-22T23:00:10Z');
    gate.open();
    expect(await refused).toMatchObject({ code: 'sms_gateway_rejected' });
    // The new day allows one message.
    await fixture.send(customer);
    await expect(fixture.send(customer)).rejects.toMatchObject({ code: 'rate_limited' });
    await setTime('2026-11-22T22:59:55Z');
    await fixture.send(customer);
  });
});
