import { createCaller, caller, startApi, type TestApi } from '@test/api';
import { expectProblem } from '@test/expect-problem';
import { saveFakeToken } from '@test/factories/service-token.factory';
import { rawHttp } from '@test/raw-http';

const ADDRESS_LIMIT = '100000';

/** The rate limit headers of a reply. */
function limitOf(reply: { headers: Headers }) {
  const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) => {
    const value = reply.headers.get(`x-ratelimit-${name}`);
    return value === null ? NaN : Number(value);
  });
  return { limit, remaining, reset };
}

describe('rate limits', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startApi({
      RATE_LIMIT_REQUESTS_PER_MINUTE: '20',
      RATE_LIMIT_SMS_PER_MINUTE: '3',
      RATE_LIMIT_ADDRESS_PER_MINUTE: ADDRESS_LIMIT,
    });
  });
  afterAll(() => api.stop());

  it('show themselves in every reply, whatever it is', async () => {
    const { call } = await createCaller(api);
    const withoutScope = await createCaller(api, { scopes: ['ai:read'] });
    const post = { method: 'POST', body: '{', headers: { 'content-type': 'application/json' } };
    const replies: [name: string, status: number, reply: { status: number; headers: Headers } | undefined][] = [
      ['200', 200, await call('/customer')],
      ['HEAD', 200, await call('/customer', { method: 'HEAD' })],
      ['bad query', 400, await call('/services?limit=0')],
      ['bad body', 400, await call('/support/tickets', post)],
      ['bad type', 415, await call('/support/tickets', { ...post, headers: { 'content-type': 'text/plain' } })],
      ['no token', 401, await fetch(`${api.baseUrl}/customer`)],
      ['no scope', 403, await withoutScope.call('/status')],
      ['unknown address', 404, await call('/nothing')],
      ['wrong method', 405, await call('/customer', { method: 'DELETE' })],
      [
        'bad encoding',
        400,
        await rawHttp(api.origin, 'GET /api/v1/%ff HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'),
      ],
      ['no host', 400, await rawHttp(api.origin, 'GET /api/v1/customer HTTP/1.1\r\nConnection: close\r\n\r\n')],
    ];
    for (const [name, status, reply] of replies) {
      const { limit = NaN, remaining = NaN, reset = NaN } = reply ? limitOf(reply) : {};
      expect([name, reply?.status, limit > 0, remaining >= 0, reset >= 1 && reset <= 60]).toEqual([
        name,
        status,
        true,
        true,
        true,
      ]);
    }
  });

  it('count a customer’s requests exactly, however many come at once and by whichever of its tokens', async () => {
    const { customer, call } = await createCaller(api);
    const second = caller(api.baseUrl, (await saveFakeToken(api.superuser, customer.id)).token);
    const replies = await Promise.all(
      Array.from({ length: 60 }, (_, index) => (index % 2 ? call : second)('/customer')),
    );
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(20);
    expect(replies.filter(({ status }) => status === 429)).toHaveLength(40);
    const remaining = replies.filter(({ status }) => status === 200).map((reply) => limitOf(reply).remaining);
    expect(remaining.sort((a = 0, b = 0) => b - a)).toEqual(Array.from({ length: 20 }, (_, index) => 19 - index));
  });

  it('refuse with what a client needs to wait', async () => {
    const { call } = await createCaller(api);
    for (let count = 0; count < 20; count++) await call('/customer');
    const reply = await call('/customer');
    await expectProblem(reply, 429, 'rate_limited');
    const { limit, remaining, reset } = limitOf(reply);
    expect([limit, remaining]).toEqual([20, 0]);
    expect(reply.headers.get('retry-after')).toBe(String(reset));
  });

  it('are per customer: one that is refused costs another nothing', async () => {
    const [greedy, modest] = [await createCaller(api), await createCaller(api)];
    for (let count = 0; count < 25; count++) await greedy.call('/customer');
    const reply = await modest.call('/customer');
    expect([reply.status, limitOf(reply).remaining]).toEqual([200, 19]);
  });

  it('are those that the operator set for the customer', async () => {
    const { customer, call } = await createCaller(api);
    await api.superuser.query('update customer set requests_per_minute = 2 where id = $1', [customer.id]);
    const statuses = [await call('/customer'), await call('/customer'), await call('/customer')].map(
      ({ status }) => status,
    );
    expect(statuses).toEqual([200, 200, 429]);
  });

  it('show the tighter one of SMS where it is the nearer, and hold its routes to it alone', async () => {
    const { call } = await createCaller(api);
    const send = (body = '{}', headers: Record<string, string> = {}) =>
      call('/sms/send', { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } });
    expect(limitOf(await send())).toMatchObject({ limit: 3, remaining: 2 });
    await send();
    await send();
    const refused = await send();
    const { detail } = await expectProblem(refused, 429, 'rate_limited');
    expect(detail).toMatch(/^At most 3 SMS a minute; try again in \d+ s$/);
    expect(limitOf(refused)).toMatchObject({ limit: 3, remaining: 0 });
    // A kept reply would come before the limit: so the body is read before, whose fields come after.
    await expectProblem(await send('{', { 'idempotency-key': 'broken' }), 400, 'invalid_request');
    await expectProblem(await send('{}', { 'idempotency-key': 'empty' }), 429, 'rate_limited');
    const other = await call('/customer');
    expect([other.status, limitOf(other).limit, limitOf(other).remaining]).toEqual([200, 20, 13]);
  });
});

describe('the limit of a network address', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startApi({ RATE_LIMIT_ADDRESS_PER_MINUTE: '10', TRUST_PROXY: '127.0.0.1' });
  });
  afterAll(() => api.stop());

  const from = (address: string, path = '/api/v1/customer') =>
    fetch(`${api.origin}${path}`, { headers: { 'x-forwarded-for': address } });

  it('refuses who tries too much before showing a token, on any address of ours', async () => {
    const paths = ['/api/v1/customer', '/nothing', '/docs/openapi.json', '/'];
    const replies = await Promise.all(Array.from({ length: 15 }, (_, index) => from('192.0.2.1', paths[index % 4])));
    expect(replies.filter(({ status }) => status === 429)).toHaveLength(5);
    const refused = await from('192.0.2.1');
    await expectProblem(refused, 429, 'rate_limited');
    expect(limitOf(refused)).toMatchObject({ limit: 10, remaining: 0 });
    expect(refused.headers.get('retry-after')).toBe(String(limitOf(refused).reset));
  });

  it('is that of health checks too, and none tighter', async () => {
    for (let count = 0; count < 10; count++) expect((await from('192.0.2.2', '/health/live')).status).toBe(200);
    expect((await from('192.0.2.2', '/health/live')).status).toBe(429);
    expect((await from('192.0.2.22', '/health/live')).status).toBe(200);
  });

  it.each([
    ['a whole /64 of IPv6 is one address', '2001:db8:1:2::1', '2001:db8:1:2:ffff::9', 8],
    ['another /64 is another', '2001:db8:1:3::1', '2001:db8:1:4::1', 9],
    ['two IPv4 addresses are two', '192.0.2.3', '192.0.2.4', 9],
  ])('%s', async (_name, first, second, remaining) => {
    expect(limitOf(await from(first)).remaining).toBe(9);
    expect(limitOf(await from(second)).remaining).toBe(remaining);
  });

  it.each(['1:2:3:4:5:6:7:8::9', 'no address', '::', ''])(
    'takes whatever a trusted proxy says: %s',
    async (address) => {
      expect((await from(address)).status).toBe(401);
    },
  );
});
