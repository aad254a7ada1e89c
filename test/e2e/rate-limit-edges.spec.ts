import { createCaller, startApi, type TestApi } from '@test/api';
import { expectProblem } from '@test/expect-problem';

const POST = { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } };
const remaining = (reply: Response) => Number(reply.headers.get('x-ratelimit-remaining'));
const limit = (reply: Response) => Number(reply.headers.get('x-ratelimit-limit'));

describe("a customer's own limits", () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startApi({
      RATE_LIMIT_REQUESTS_PER_MINUTE: '50',
      RATE_LIMIT_AI_PER_MINUTE: '3',
      RATE_LIMIT_SMS_PER_MINUTE: '4',
    });
  });
  afterAll(() => api.stop());

  const KINDS = [
    ['ai_per_minute', '/ai/messages', 3],
    ['sms_per_minute', '/sms/send', 4],
  ] as const;

  /** Sends until a request is refused. @returns the number of accepted requests, and the limit in the refusal */
  async function exhaust(path: string, overrides: Record<string, number> = {}) {
    const { customer, call } = await createCaller(api);
    for (const [column, value] of Object.entries(overrides))
      await api.superuser.query(`update customer set ${column} = $2 where id = $1`, [customer.id, value]);
    for (let passed = 0; ; passed++) {
      const reply = await call(path, POST);
      if (reply.status !== 429) continue;
      await expectProblem(reply, 429, 'rate_limited');
      return { passed, shown: limit(reply), other: (await call('/customer')).status };
    }
  }

  it.each(KINDS)('without %s are the default of %s', async (_column, path, standard) => {
    expect(await exhaust(path)).toEqual({ passed: standard, shown: standard, other: 200 });
  });

  it.each(KINDS)('in %s may be lower or higher on %s', async (column, path) => {
    expect(await exhaust(path, { [column]: 1 })).toEqual({ passed: 1, shown: 1, other: 200 });
    expect(await exhaust(path, { [column]: 9 })).toEqual({ passed: 9, shown: 9, other: 200 });
  });

  it('for AI leave SMS alone, and the other way about', async () => {
    expect(await exhaust('/sms/send', { ai_per_minute: 1 })).toMatchObject({ passed: 4 });
    expect(await exhaust('/ai/messages', { sms_per_minute: 1 })).toMatchObject({ passed: 3 });
  });

  it('are counted apart: who has sent all its SMS may send AI messages still', async () => {
    const { customer, call } = await createCaller(api);
    await api.superuser.query('update customer set ai_per_minute = 2, sms_per_minute = 2 where id = $1', [customer.id]);
    const sent: number[] = [];
    for (const path of ['/sms/send', '/sms/send', '/sms/send', '/ai/messages', '/ai/messages', '/ai/messages'])
      sent.push((await call(path, POST)).status);
    expect(sent.map((status) => status === 429)).toEqual([false, false, true, false, false, true]);
  });

  it('count a tighter one towards that of all requests, which may be the nearer', async () => {
    expect(await exhaust('/sms/send', { requests_per_minute: 2, sms_per_minute: 9 })).toEqual({
      passed: 2,
      shown: 2,
      other: 429,
    });
    // The request that is one too many for a tighter limit may be the last one of all.
    expect(await exhaust('/sms/send', { requests_per_minute: 3, sms_per_minute: 2 })).toEqual({
      passed: 2,
      shown: 2,
      other: 429,
    });
  });

  it('show the nearer of the two limits of a route', async () => {
    const { customer, call } = await createCaller(api);
    await api.superuser.query('update customer set requests_per_minute = 3, sms_per_minute = 30 where id = $1', [
      customer.id,
    ]);
    expect(limit(await call('/sms/send', POST))).toBe(3);
  });
});

describe('the network address of a caller', () => {
  it.each([
    ['no proxy is trusted', {}],
    ['another proxy is trusted', { TRUST_PROXY: '10.0.0.1,192.168.0.0/16' }],
  ])('is not for the caller to say while %s', async (_name, settings) => {
    const api = await startApi({ RATE_LIMIT_ADDRESS_PER_MINUTE: '5', ...settings });
    try {
      const from = (address: string) =>
        fetch(`${api.origin}/nothing`, {
          headers: { 'x-forwarded-for': address, 'x-real-ip': address, forwarded: `for=${address}` },
        });
      const replies: Response[] = [];
      for (let last = 1; last <= 6; last++) replies.push(await from(`192.0.2.${last}`));
      expect(replies.map(remaining)).toEqual([4, 3, 2, 1, 0, 0]);
      expect(replies.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 429]);
    } finally {
      await api.stop();
    }
  });

  describe('behind a trusted proxy', () => {
    let api: TestApi;
    beforeAll(async () => {
      api = await startApi({ RATE_LIMIT_ADDRESS_PER_MINUTE: '10', TRUST_PROXY: '127.0.0.1' });
    });
    afterAll(() => api.stop());
    const from = async (addresses: string) =>
      remaining(await fetch(`${api.origin}/nothing`, { headers: { 'x-forwarded-for': addresses } }));

    it('is the last that the proxy has seen, not the first that a caller made up', async () => {
      expect(await from('203.0.113.1, 198.51.100.7')).toBe(9);
      expect(await from('203.0.113.2, 198.51.100.7')).toBe(8);
      expect(await from('203.0.113.1')).toBe(9);
    });

    it.each([
      ['in full and shortened', '2001:db8:a:1:2:3:4:5', '2001:db8:a:1::5'],
      ['shortened inside the network part', '2001:db8::1:2:3:4', '2001:db8:0:0:9:2:3:4'],
      ['shortened at the start', '::1:2:3:4:5', '0:0:0:1::9'],
      ['shortened at the end', '2001:db8:b:1::', '2001:db8:b:1:9::1'],
    ])('of IPv6 is a whole /64, %s', async (_name, first, second) => {
      expect(await from(first)).toBe(9);
      expect(await from(second)).toBe(8);
    });

    it.each([
      ['/64 networks of one /48', '2001:db8:c:1::1', '2001:db8:c:2::1'],
      ['shortened networks', '2001:db8:d::1', '2001:db8:e::1'],
      ['IPv4 addresses written as IPv6', '::ffff:198.51.100.1', '::ffff:198.51.100.2'],
    ])('is distinguished: %s', async (_name, first, second) => {
      expect(await from(first)).toBe(9);
      expect(await from(second)).toBe(9);
    });
  });
});
