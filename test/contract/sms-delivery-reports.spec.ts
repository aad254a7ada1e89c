import { DeliveryReportsService } from '@domains/sms';
import { createSmsFixture, type SmsFixture } from '@test/sms.fixture';
import type { AcceptedSms } from '../../apps/sandbox/src/shared/sms/sms-control';

describe('Delivery reports of 46elks', () => {
  let fixture: SmsFixture;
  let customer: string;
  let taken: AcceptedSms;

  beforeAll(async () => {
    fixture = await createSmsFixture({ SMS_GATEWAY: '46elks' });
  });
  afterAll(() => fixture.close());
  beforeEach(async () => {
    fixture.sandbox.reset();
    fixture.reports.results.length = 0;
    customer = await fixture.customer();
    fixture.sandbox.elks46.script({ reports: 'none' });
    await fixture.send(customer);
    taken = fixture.sandbox.elks46.accepted[0] as AcceptedSms;
  });

  const status = async () => (await fixture.rows(customer))[0]?.status;
  const post = async (url: string, body: string) => {
    await fetch(url, { method: 'POST', body });
    return fixture.reports.results.at(-1);
  };

  it.each([
    [['sent'], 'sent', []],
    [['sent', 'delivered'], 'delivered', ['sms.delivered']],
    [['delivered', 'sent'], 'delivered', ['sms.delivered']],
    [['delivered', 'delivered', 'delivered'], 'delivered', ['sms.delivered']],
    [['failed'], 'failed', ['sms.failed']],
    [['failed', 'sent'], 'failed', ['sms.failed']],
    [['sent', 'failed', 'failed'], 'failed', ['sms.failed']],
    // `delivered` is final: later reports do not change it.
    [['failed', 'delivered'], 'delivered', ['sms.failed', 'sms.delivered']],
    [['delivered', 'failed'], 'delivered', ['sms.delivered']],
  ] as const)('%j end as %s, and are told of once: %j', async (reports, end, events) => {
    await fixture.sandbox.elks46.report(taken, ...reports);
    expect(await status()).toBe(end);
    expect(fixture.reports.results).toEqual(reports.map(() => 'stored'));
    const { rows } = await fixture.superuser.query<{ type: string }>(
      'select type from event where customer_id = $1 order by id',
      [customer],
    );
    expect(rows.map(({ type }) => type)).toEqual(events);
  });

  it('leave no trace of a failure that was overruled', async () => {
    await fixture.sandbox.elks46.report(taken, 'failed', 'delivered');
    const [row] = await fixture.rows(customer);
    expect(row).toMatchObject({ error_code: null });
    expect(row?.delivered_at).toBeInstanceOf(Date);
  });

  it("keep the first time of delivery when repeated, and the gateway's first id of the message", async () => {
    await fixture.sandbox.elks46.report(taken, 'delivered');
    const [first] = await fixture.rows(customer);
    await fixture.sandbox.elks46.report(taken, 'delivered');
    expect(await post(taken.reportUrls[0] as string, 'id=another&status=delivered')).toBe('stored');
    expect((await fixture.rows(customer))[0]).toEqual(first);
  });

  it('with a forged reference change nothing', async () => {
    const url = taken.reportUrls[0] as string;
    const forged = url.slice(0, -1) + (url.endsWith('A') ? 'B' : 'A');
    expect(await post(forged, `id=${taken.id}&status=delivered`)).toBe('forged');
    expect(await post(`${url.slice(0, url.lastIndexOf('/'))}/${'A'.repeat(64)}`, 'id=x&status=delivered')).toBe(
      'forged',
    );
    expect(await status()).toBe('accepted');
  });

  it('that are none are refused', async () => {
    for (const body of ['', 'id=x', 'status=delivered', 'id=x&status=eaten', '{"status":"delivered"}']) {
      expect(await post(taken.reportUrls[0] as string, body)).toBe('malformed');
    }
    expect(await status()).toBe('accepted');
  });

  it('about a message that is not there are told apart', async () => {
    await fixture.superuser.query('delete from sms_message where customer_id = $1', [customer]);
    expect(await post(taken.reportUrls[0] as string, `id=${taken.id}&status=delivered`)).toBe('unknown_message');
  });
});

describe('Delivery reports of LINK Mobility', () => {
  let fixture: SmsFixture;
  beforeAll(async () => {
    fixture = await createSmsFixture({ SMS_GATEWAY: 'link-mobility' });
  });
  afterAll(() => fixture.close());
  beforeEach(() => {
    fixture.sandbox.reset();
    fixture.reports.results.length = 0;
  });

  it.each([
    [[1000], 'sent', null],
    [[1000, 1001], 'delivered', null],
    [[1001, 1000], 'delivered', null],
    [[1001, 1001], 'delivered', null],
    [[1002], 'failed', 'expired'],
    [[1006], 'failed', 'not_delivered'],
    [[2106], 'failed', 'invalid_recipient'],
    [[2105], 'failed', 'recipient_blocked'],
    [[1004], 'failed', 'recipient_unavailable'],
    [[9999], 'accepted', null],
    [[1006, 9999], 'failed', 'not_delivered'],
    // The first reason stays.
    [[1006, 1002], 'failed', 'not_delivered'],
    [[4], 'accepted', null],
    [[1000, 4], 'sent', null],
    [[1010], 'sent', null],
  ])('%j end as %s', async (reports, status, errorCode) => {
    const customer = await fixture.customer();
    fixture.sandbox.link.script({ reports: 'none' });
    await fixture.send(customer);
    await fixture.sandbox.link.report(fixture.sandbox.link.accepted[0] as AcceptedSms, ...reports);
    expect(await fixture.rows(customer)).toMatchObject([{ status, error_code: errorCode }]);
  });

  it('that know no more of a message whose outcome is unknown leave the reason, and are told once', async () => {
    const customer = await fixture.customer();
    fixture.sandbox.link.script({ result: 1500, sent: true, reports: 'none' });
    await expect(fixture.send(customer)).rejects.toMatchObject({ code: 'sms_gateway_failed' });
    // Queued, and a fault of the gateway.
    await fixture.sandbox.link.report(fixture.sandbox.link.accepted[0] as AcceptedSms, 1005, 4);
    expect(fixture.reports.results).toEqual(['stored', 'stored']);
    expect(await fixture.rows(customer)).toMatchObject([{ status: 'unknown', error_code: 'gateway_error' }]);
    const { rows } = await fixture.superuser.query('select type from event where customer_id = $1', [customer]);
    expect(rows).toEqual([{ type: 'sms.unknown' }]);
  });

  it('without our reference, or that are none, change nothing', async () => {
    const reports = fixture.module.get(DeliveryReportsService);
    expect(await reports.fromLink('{"refId":"0","id":"0","resultCode":1001}')).toBe('forged');
    expect(await reports.fromLink('{"refId":null,"id":"0","resultCode":1001}')).toBe('malformed');
    expect(await reports.fromLink('not json')).toBe('malformed');
  });

  it('of one gateway do not speak for a message of the other', async () => {
    const customer = await fixture.customer();
    fixture.sandbox.link.script({ reports: 'none' });
    await fixture.send(customer);
    const reference = fixture.sandbox.link.accepted[0]?.reference as string;
    expect(await fixture.module.get(DeliveryReportsService).fromElks(reference, 'id=x&status=failed')).toBe(
      'unknown_message',
    );
    expect(await fixture.rows(customer)).toMatchObject([{ status: 'accepted' }]);
  });
});
