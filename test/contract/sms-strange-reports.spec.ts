import { setDatabaseClock } from '@test/database-clock';
import { createSmsFixture, type SmsFixture } from '@test/sms.fixture';

const GATEWAYS = [
  { gateway: '46elks', control: 'elks46' },
  { gateway: 'link-mobility', control: 'link' },
] as const;

describe.each(GATEWAYS)('A strange delivery report of $gateway', ({ gateway, control }) => {
  let fixture: SmsFixture;
  let customer: string;
  beforeAll(async () => (fixture = await createSmsFixture({ SMS_GATEWAY: gateway })));
  afterAll(() => fixture.close());
  beforeEach(async () => {
    fixture.sandbox.reset();
    fixture.reports.results.length = 0;
    customer = await fixture.customer();
  });

  /** Sends a message whose reports have faults; returns the results and the log entry. */
  async function sent(distortion: Record<string, string | true>) {
    fixture.sandbox[control].script({ ...distortion, reports: control === 'elks46' ? 'delivered' : '1001' });
    await fixture.send(customer);
    await fixture.sandbox[control].reportsSettled();
    const [row] = await fixture.rows(customer);
    return { row, results: [...new Set(fixture.reports.results)] };
  }

  it.each([
    '0000-01-01T00:00:00',
    '0001-01-01T00:00:00Z',
    '275760-09-13T00:00:00Z',
    '+275760-09-13T00:00:00.000Z',
    '-271821-04-20T00:00:00Z',
    '1970-01-01T00:00:00Z',
    '2999-12-31T23:59:59Z',
    '2021-06-01T00:00:00Z',
    'yesterday',
    '\u0000',
  ])('counts as delivered now when its time is %j', async (time) => {
    const began = Date.now();
    const { row, results } = await sent({ 'report-time': time });
    expect(results).toEqual(['stored']);
    expect(row).toMatchObject({ status: 'delivered', error_code: null });
    const delivered = row?.delivered_at?.getTime() ?? 0;
    expect(delivered).toBeGreaterThanOrEqual(began - 5000);
    expect(delivered).toBeLessThanOrEqual(Date.now() + 5000);
  });

  it.each([
    ['5 minutes before it was sent, as clocks differ', '2026-11-20T11:55:00Z', '2026-11-20T12:00:00Z'],
    ['more than 5 minutes before it was sent', '2026-11-20T11:54:59Z', '2026-11-20T13:00:00Z'],
    ['since it was sent', '2026-11-20T12:30:00Z', '2026-11-20T12:30:00Z'],
    ['to come', '2026-11-20T13:00:01Z', '2026-11-20T13:00:00Z'],
  ])('of a message sent at 12:00, read at 13:00, with a time %s: %s is %s', async (_, time, delivered) => {
    try {
      await setDatabaseClock(fixture.superuser, { standsAt: '2026-11-20T12:00:00Z' });
      const gate = fixture.sandbox[control].hold();
      const reply = sent({ 'report-time': time });
      await gate.holding(1);
      await setDatabaseClock(fixture.superuser, { standsAt: '2026-11-20T13:00:00Z' });
      gate.open();
      const { row } = await reply;
      expect(row).toMatchObject({ status: 'delivered', delivered_at: new Date(delivered) });
    } finally {
      await setDatabaseClock(fixture.superuser, 'right');
    }
  });

  it.each(['a\u0000b', '\u0000', 'x'.repeat(10_000), '\ud800', 'line\nfeed'])(
    'is taken in although its id of the message cannot be one (%#)',
    async (id) => {
      const { row, results } = await sent({ 'report-id': id });
      expect(results).toEqual(['stored']);
      expect(row).toMatchObject({ status: 'delivered' });
      // The id from the reply to the send.
      expect(row?.gateway_message_id).toBe(fixture.sandbox[control].accepted[0]?.id);
    },
  );

  it('in the form of another gateway is malformed and changes nothing', async () => {
    const { row, results } = await sent({ 'report-as': control === 'elks46' ? 'json' : 'form' });
    expect(results).toEqual(['malformed']);
    expect(row).toMatchObject({ status: 'accepted', delivered_at: null });
  });
});

describe('A delivery report of LINK Mobility whose code says nothing certain', () => {
  let fixture: SmsFixture;
  beforeAll(async () => (fixture = await createSmsFixture({ SMS_GATEWAY: 'link-mobility' })));
  afterAll(() => fixture.close());

  it.each(['0', '1013', '1500', '9999', '5'])('makes no failure of the message: %s', async (code) => {
    const customer = await fixture.customer();
    fixture.sandbox.link.script({ reports: code });
    await fixture.send(customer);
    await fixture.sandbox.link.reportsSettled();
    expect(await fixture.rows(customer)).toMatchObject([{ status: 'accepted', delivered_at: null }]);
  });
});
