import type { Client } from 'pg';
import { timedId } from '@test/timed-id';
import { createCaller, startApi, type TestApi } from '@test/api';
import { expectProblem } from '@test/expect-problem';
import { allowSms } from '@test/factories/sms-settings.factory';
import { freePort } from '@test/free-port';
import { describeAuthentication } from '@test/suites/authentication.suite';
import { describePaging } from '@test/suites/paging.suite';
import { describeValidation } from '@test/suites/validation.suite';
import type { SmsDto } from '@records/sms.dto';
import type { SmsPageDto } from '../../apps/customer-api/src/sms/sms.dto';
import { type Sandbox, startSandbox } from '../../apps/sandbox/src/sandbox';

const body = { to: '+4790000000', message: 'Hello' };
const POST = { method: 'POST', path: '/sms/send', body } as const;

let api: TestApi;
let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
  const port = await freePort();
  api = await startApi({
    SANDBOX_URL: sandbox.url,
    INTERNAL_PORT: String(port),
    SMS_REPORT_URL: `http://127.0.0.1:${port}`,
    SMS_GATEWAY_TIMEOUT_MS: '3000',
  });
});
afterAll(async () => {
  await sandbox.close();
  await api.stop();
});
beforeEach(() => sandbox.reset());

async function createSender(dailyCap?: number) {
  const caller = await createCaller(api);
  await allowSms(api.superuser, caller.customer.id, dailyCap);
  const send = (order: object = {}) =>
    caller.call('/sms/send', {
      method: 'POST',
      body: JSON.stringify({ ...body, ...order }),
      headers: { 'content-type': 'application/json' },
    });
  const log = async (query = '') => (await (await caller.call(`/sms/log${query}`)).json()) as SmsPageDto;
  return { ...caller, send, log };
}

describe('POST /sms/send', () => {
  describeAuthentication(() => api, { ...POST, otherwise: [403, 'sms_disabled'] }, 'sms:send');

  const prepare = (customerId: string) => allowSms(api.superuser, customerId);
  describeValidation(
    () => api,
    POST,
    'message',
    {
      accepted: [
        ['1 character', 'a'],
        ['918 characters', 'a'.repeat(918)],
        ['918 emoji', '😀'.repeat(918)],
        ['459 letters with combining accents', 'e\u0301'.repeat(459)],
      ],
      refused: [
        ['919 characters', 'a'.repeat(919)],
        ['919 emoji', '😀'.repeat(919)],
        ['919 characters of which one combines', `${'a'.repeat(918)}\u0301`],
        ['none', ''],
        ['a number', 5],
        ['null', null],
        ['a missing field', undefined],
        ['the null character', '\0'],
      ],
    },
    prepare,
  );
  describeValidation(
    () => api,
    POST,
    'to',
    {
      accepted: [
        ['a Norwegian number', '+4790000000'],
        ['a Swedish number', '+46700000000'],
        ['an American number', '+12025550123'],
      ],
      refused: [
        ['no plus sign', '4790000000'],
        ['spaces', '+47 900 00 000'],
        ['letters', '+47abcdefgh'],
        ['too few digits for the country', '+47900000'],
        ['too many digits', '+4790000000000000'],
        ['an unassigned country code', '+999123456789'],
        ['a number', 4790000000],
        ['a list', ['+4790000000']],
        ['a missing field', undefined],
      ],
    },
    prepare,
  );

  it('answers 201 with the message as it is in the log, which the report then completes', async () => {
    const { send, log } = await createSender();
    sandbox.elks46.script({ reports: 'none' });
    const reply = await send({ message: 'Blåbær', sender_id: 'Mallory', from: 'Mallory' });
    expect(reply.status).toBe(201);
    const sms = (await reply.json()) as SmsDto;
    expect(sms).toMatchObject({
      to: '+4790000000',
      message: 'Blåbær',
      sender_id: 'Acme',
      status: 'accepted',
      segments: 1,
      encoding: 'GSM-7',
    });
    expect((await log()).data).toEqual([sms]);
    await sandbox.elks46.report(sandbox.elks46.accepted[0]!, 'sent', 'delivered');
    expect(sandbox.elks46.reports.map(({ status }) => status)).toEqual([200, 200]);
    const [delivered] = (await log()).data;
    expect(delivered).toMatchObject({ id: sms.id, status: 'delivered', delivered_at: expect.any(String) });
    // Each status has its time.
    const { created_at, updated_at } = sms;
    expect(new Set([created_at, updated_at, delivered?.updated_at]).size).toBe(3);
    expect(delivered?.created_at).toBe(created_at);
    const times = [created_at, updated_at, delivered?.updated_at ?? ''].map((time) => Date.parse(time));
    expect(times).toEqual([...times].sort((a, b) => a - b));
  });

  it('answers 403 sms_disabled to a customer that may not send, even for a valid request', async () => {
    const { call } = await createCaller(api);
    const init = { method: 'POST', headers: { 'content-type': 'application/json' } };
    await expectProblem(await call('/sms/send', { ...init, body: JSON.stringify(body) }), 403, 'sms_disabled');
    await expectProblem(await call('/sms/send', { ...init, body: '{}' }), 400, 'invalid_request');
    expect(sandbox.elks46.total).toBe(0);
  });

  it.each([
    ['refuses the message', { status: 400 }, 'sms_gateway_rejected', 'failed'],
    ['is out of order', { status: 500 }, 'sms_gateway_failed', 'unknown'],
    ['does not answer', { hang: true, reports: 'none' }, 'sms_gateway_failed', 'unknown'],
    ['refuses our account', { status: 401 }, 'sms_gateway_failed', 'failed'],
  ] as const)('answers 502 when the gateway %s', async (_, script, code, status) => {
    const { send, log } = await createSender();
    sandbox.elks46.script(script);
    const problem = await expectProblem(await send(), 502, code);
    expect((await log()).data).toMatchObject([{ status, error_code: expect.any(String) }]);
    expect(JSON.stringify(problem)).not.toMatch(/sandbox|46elks|Basic|127\.0\.0\.1/i);
  });

  it('answers 429 with Retry-After at the daily cap', async () => {
    const { send } = await createSender(1);
    expect((await send()).status).toBe(201);
    const reply = await send();
    const { detail } = await expectProblem(reply, 429, 'rate_limited');
    expect(detail).toBe('The daily cap of 1 SMS is reached');
    // Midnight is a day away at most.
    const seconds = Number(reply.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(25 * 3600);
  });

  it('answers 429 where the daily cap is 0, and counts nothing', async () => {
    const { customer, send } = await createSender(0);
    await expectProblem(await send(), 429, 'rate_limited');
    const counted = await api.superuser.query('select from sms_daily_count where customer_id = $1', [customer.id]);
    expect(counted.rowCount).toBe(0);
  });
});

describe('GET /sms/log', () => {
  async function saveSms(client: Client, customerId: string, createdAt: Date): Promise<{ id: string }> {
    const id = timedId(createdAt);
    await client.query(
      `insert into sms_message (customer_id, id, recipient, sender_id, message, segments, encoding, gateway, created_at)
       values ($1, $2, '+4790000000', 'Acme', 'Hello', 1, 'GSM-7', '46elks', $3)`,
      [customerId, id, createdAt],
    );
    return { id };
  }

  describeAuthentication(() => api, { method: 'GET', path: '/sms/log' }, 'sms:read');

  describePaging(
    () => api,
    '/sms/log',
    'sms_message',
    saveSms,
    (item) => item.id,
  );

  it("shows exactly this customer's messages, newest first, page by page", async () => {
    const [mine, other] = [await createSender(), await createSender()];
    await other.send();
    for (const message of ['1', '2', '3']) await mine.send({ message });
    const first = await mine.log('?limit=2');
    const second = await mine.log(`?limit=2&cursor=${first.next_cursor}`);
    expect([first, second].map(({ data }) => data.map(({ message }) => message))).toEqual([['3', '2'], ['1']]);
    expect(second).toMatchObject({ has_more: false, next_cursor: null });
  });

  it('goes on with those of long ago where the last month does not fill a page', async () => {
    const { customer, log } = await createSender();
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);
    const ids: string[] = [];
    for (const days of [1, 40, 70, 400]) ids.push((await saveSms(api.superuser, customer.id, daysAgo(days))).id);
    const idsOf = ({ data }: SmsPageDto) => data.map(({ id }) => id);
    expect(idsOf(await log())).toEqual(ids);
    const first = await log('?limit=3');
    expect([idsOf(first), first.has_more]).toEqual([ids.slice(0, 3), true]);
    expect(idsOf(await log(`?limit=3&cursor=${first.next_cursor}`))).toEqual(ids.slice(3));
  });
});
