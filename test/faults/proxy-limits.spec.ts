import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { generateToken } from '@platform/tokens';
import { expectProblem } from '@test/expect-problem';
import { describeWithNginx, type NginxProxy, startNginxWith } from '@test/nginx-proxy';

const PER_SECOND = 5;
/** Four times as many at once with a token, forty times from an address, and the first. */
const [OF_TOKEN, OF_ADDRESS] = [4 * PER_SECOND + 1, 40 * PER_SECOND + 1];
const AT_A_TIME = 50;

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describeWithNginx('a flood of requests, at the proxy', () => {
  /** What reached the replica. */
  let served = 0;
  const replica = createServer((_request, reply) => {
    served++;
    reply.end('served');
  });
  let origin: string;
  let proxy: NginxProxy;
  beforeAll(async () => {
    await once(replica.listen(0, '127.0.0.1'), 'listening');
    origin = `http://127.0.0.1:${(replica.address() as AddressInfo).port}`;
    proxy = await startNginxWith({ PROXY_REQUESTS_PER_SECOND: String(PER_SECOND) }, origin);
  });
  beforeEach(() => (served = 0));
  afterAll(async () => {
    await proxy.stop();
    replica.close();
  });

  /** Sends so many, some at a time. @returns their replies by status */
  async function send(count: number, headersOf: (place: number) => Record<string, string>, to = proxy) {
    const [passed, refused]: [Response[], Response[]] = [[], []];
    const places = Array.from({ length: count }, (_, place) => place).values();
    const lane = async () => {
      for (const place of places) {
        const reply = await fetch(`${to.baseUrl}/customer`, { headers: headersOf(place) });
        expect([200, 429]).toContain(reply.status);
        (reply.ok ? passed : refused).push(reply);
        if (reply.ok) await reply.text();
      }
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, lane));
    return { passed, refused };
  }

  /** What a limit lets through of a flood: what may come at once, and what it gains meanwhile. */
  async function expectBound(most: number, perSecond: number, flood: () => ReturnType<typeof send>) {
    const begun = performance.now();
    const { passed, refused } = await flood();
    const seconds = (performance.now() - begun) / 1000;
    expect(passed.length).toBeGreaterThanOrEqual(most);
    expect(passed.length).toBeLessThanOrEqual(most + perSecond * seconds + 1);
    expect(served).toBe(passed.length);
    return refused;
  }

  it('with one token is refused there, as by the API; another token of the same address is served', async () => {
    const [token, other] = [generateToken(), generateToken()];
    const [refusal] = await expectBound(OF_TOKEN, PER_SECOND, () => send(100, () => bearer(token)));
    expect(refusal?.headers.get('retry-after')).toBe('1');
    expect(await expectProblem(refusal as Response, 429, 'rate_limited')).toMatchObject({
      detail: expect.stringContaining('with your token or from your network address'),
    });
    expect((await send(OF_TOKEN, () => bearer(other))).refused).toEqual([]);
  });

  it.each([
    ['X-Api-Key', (token: string) => ({ 'x-api-key': token })],
    ['Authorization, whatever X-Api-Key is', (token: string) => ({ ...bearer(token), 'x-api-key': generateToken() })],
    ['X-Api-Key, whatever Authorization is', (token: string) => ({ ...bearer(generateToken()), 'x-api-key': token })],
    ['a small letter', (token: string) => ({ authorization: `bearer  ${token}` })],
  ])('counts a token in %s', async (_title, headersOf) => {
    const token = generateToken();
    // Another address than the floods before.
    const from = { 'x-forwarded-for': '192.0.2.1' };
    await expectBound(OF_TOKEN, PER_SECOND, () => send(60, () => ({ ...headersOf(token), ...from })));
  });

  it.each([
    ['tokens', '203.0.113.1', '203.0.113.2', () => bearer(generateToken())],
    ['texts that are no tokens', '203.0.113.3', '203.0.113.4', (place: number) => bearer('x'.repeat(place % 9))],
    ['tokens in one /64', '2001:db8:a0a:d00::', '2001:db8:a0a:d01::', () => bearer(generateToken())],
  ])('of many %s is its address; another address is served', async (_title, address, neighbour, headersOf) => {
    const from = (place: number) => ({ 'x-forwarded-for': address.endsWith(':') ? `${address}${place}` : address });
    await expectBound(OF_ADDRESS, 2 * PER_SECOND, () =>
      send(300, (place) => ({ ...headersOf(place), ...from(place) })),
    );
    const near = { 'x-forwarded-for': address.endsWith(':') ? `${neighbour}1` : neighbour };
    expect((await send(10, () => ({ ...bearer(generateToken()), ...near }))).refused).toEqual([]);
  });

  it.each([
    ['nothing that the API lets a customer send in two minutes, by default', {}, 1200],
    ['nothing if that is turned off', { PROXY_REQUESTS_PER_SECOND: '0' }, 3000],
  ])('is refused %s', async (_title, settings, count) => {
    const other = await startNginxWith(settings, origin);
    const token = generateToken();
    const { refused } = await send(count, () => bearer(token), other);
    await other.stop();
    expect(refused).toEqual([]);
    expect(served).toBe(count);
  });

  it('is bounded by a number: with anything else the proxy does not start', async () => {
    const started = startNginxWith({ PROXY_REQUESTS_PER_SECOND: 'many' }, origin);
    await expect(started).rejects.toThrow('PROXY_REQUESTS_PER_SECOND must be a number, not many');
  });
});
