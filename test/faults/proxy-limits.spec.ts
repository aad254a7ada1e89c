import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateToken } from '@platform/tokens';
import { expectProblem } from '@test/expect-problem';
import { describeWithNginx, type NginxProxy, startNginxWith } from '@test/nginx-proxy';
import { until } from '@test/until';

const PER_SECOND = 10;
/** A tenth of it is passed on at once with a token, four times as many from an address, and the first. */
const [OF_TOKEN, OF_ADDRESS] = [PER_SECOND / 10 + 1, 4 * PER_SECOND + 1];
const IN_PROGRESS = 4 * PER_SECOND;
const AT_A_TIME = 50;
/** A client that abandons its requests waits for so long. */
const PATIENCE_MS = 100;

type Headers = Record<string, string>;
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describeWithNginx('a flood of requests, at the proxy', () => {
  /** What reached the replica. */
  let served = 0;
  let forwardedFor: string | string[] | undefined;
  const replica = createServer(({ headers }, reply) => {
    served++;
    forwardedFor = headers['x-forwarded-for'];
    if (headers['x-wait'] === undefined) reply.end('served');
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

  const ask = (headers: Headers, { baseUrl } = proxy) => fetch(`${baseUrl}/customer`, { headers });

  /** Does it so often, some at a time. */
  async function repeat(count: number, work: (place: number) => Promise<unknown>): Promise<void> {
    const places = Array.from({ length: count }, (_, place) => place).values();
    const lane = async () => {
      for (const place of places) await work(place);
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, lane));
  }

  /** @returns undefined if no reply comes while one waits for it */
  async function askImpatiently(headers: Headers): Promise<Response | undefined> {
    const patience = new AbortController();
    const timer = setTimeout(() => patience.abort(), PATIENCE_MS);
    const { signal } = patience;
    const reply = await fetch(`${proxy.baseUrl}/customer`, { headers, signal }).catch(() => undefined);
    clearTimeout(timer);
    return reply;
  }

  /** Expects that of a flood only so many reach a replica at once and per second, and that what cannot wait is refused. */
  async function expectBound(atOnce: number, perSecond: number, count: number, headersOf: (place: number) => Headers) {
    const begun = performance.now();
    const refused: Response[] = [];
    // Patiently: on a busy machine all others may be abandoned before the proxy has read them.
    expect(await (await ask(headersOf(0))).text()).toBe('served');
    await repeat(count, async (place) => {
      const reply = await askImpatiently(headersOf(place));
      if (reply?.ok) await reply.text();
      else if (reply) refused.push(reply);
    });
    const seconds = (performance.now() - begun) / 1000;
    expect(served).toBeLessThanOrEqual(atOnce + perSecond * seconds + 1);
    const [refusal] = refused;
    const { headers } = refusal as Response;
    const state = ['retry-after', 'x-ratelimit-remaining', 'x-ratelimit-reset'].map((name) => headers.get(name));
    expect(state).toEqual(['1', '0', '1']);
    expect(Number(headers.get('x-ratelimit-limit'))).toBe(60 * PER_SECOND);
    expect(await expectProblem(refusal as Response, 429, 'rate_limited')).toMatchObject({
      detail: expect.stringContaining('with your token or from your network address'),
    });
  }

  async function expectServed(headers: () => Headers): Promise<void> {
    await repeat(OF_TOKEN, async () => expect(await (await ask(headers())).text()).toBe('served'));
  }

  it.each<[string, (token: string) => Headers]>([
    ['Authorization', bearer],
    ['X-Api-Key', (token) => ({ 'x-api-key': token })],
    ['Authorization, whatever X-Api-Key is', (token) => ({ ...bearer(token), 'x-api-key': generateToken() })],
    ['X-Api-Key, whatever Authorization is', (token) => ({ ...bearer(generateToken()), 'x-api-key': token })],
    ['Authorization in small letters', (token) => ({ authorization: `bearer  ${token}` })],
  ])(
    'that is abandoned is bounded by its token in %s; another token of the same address is served',
    async (title, headersOf) => {
      // An address for each.
      const from = { 'x-forwarded-for': `192.0.2.${title.length}` };
      const token = generateToken();
      await expectBound(OF_TOKEN, PER_SECOND, 100, () => ({ ...headersOf(token), ...from }));
      await expectServed(() => ({ ...bearer(generateToken()), ...from }));
    },
  );

  it.each<[string, (place: number) => string, string, (place: number) => Headers]>([
    ['tokens', () => '203.0.113.1', '203.0.113.2', () => bearer(generateToken())],
    ['texts that are no tokens', () => '203.0.113.3', '203.0.113.4', (place) => bearer('x'.repeat(place % 9))],
    [
      'tokens in one /64',
      (place) => `2001:db8:a0a:d00::${place}`,
      '2001:db8:a0a:d01::1',
      () => bearer(generateToken()),
    ],
  ])(
    'of many %s that is abandoned is bounded by its address; another address is served',
    async (_title, addressOf, other, headersOf) => {
      const from = (address: string) => ({ 'x-forwarded-for': address });
      const flood = (place: number) => ({ ...headersOf(place), ...from(addressOf(place)) });
      await expectBound(OF_ADDRESS, 2 * PER_SECOND, 500, flood);
      await expectServed(() => ({ ...bearer(generateToken()), ...from(other) }));
    },
  );

  it('with one token has a bounded number in progress; another token of the same address is served', async () => {
    const from = { 'x-forwarded-for': '198.51.100.1' };
    const headers = { ...bearer(generateToken()), ...from };
    const ended = new AbortController();
    const wait = { ...headers, 'x-wait': 'for ever' };
    const asked = Array.from({ length: IN_PROGRESS }, () =>
      fetch(`${proxy.baseUrl}/customer`, { headers: wait, signal: ended.signal }).catch(() => undefined),
    );
    await until(() => served === IN_PROGRESS);
    await expectProblem(await ask(headers), 429, 'rate_limited');
    await expectServed(() => ({ ...bearer(generateToken()), ...from }));
    ended.abort();
    await Promise.all(asked);
    await until(async () => (await ask(headers)).ok);
  });

  it.each([
    ['within the default limits of two minutes', {}, 1200],
    ['if that is turned off', { PROXY_REQUESTS_PER_SECOND: '0' }, 3000],
  ])('is refused nothing %s', async (_title, settings, count) => {
    const other = await startNginxWith(settings, origin);
    const token = generateToken();
    await repeat(count, async () => expect(await (await ask(bearer(token), other)).text()).toBe('served'));
    await other.stop();
  });

  // A tenth of these is nothing, and 16 times that is more than nginx counts.
  it.each(['1', '8', '9', '5000'])('is bounded by %s a second', async (number) => {
    const other = await startNginxWith({ PROXY_REQUESTS_PER_SECOND: number }, origin);
    expect(await (await ask(bearer(generateToken()), other)).text()).toBe('served');
    await other.stop();
  });

  it('is bounded by the address that a proxy on this machine names, unless others can reach the port', async () => {
    // Of the container: its default route leads by 127.0.0.2, the address from which the test comes.
    const folder = mkdtempSync(join(tmpdir(), 'routes-'));
    const routes = join(folder, 'routes');
    writeFileSync(
      routes,
      'Iface\tDestination\tGateway\tFlags\neth0\t000012AC\t00000000\t0001\neth0\t00000000\t0200007F\t0003\n',
    );
    const addressBehind = async (more: Record<string, string>) => {
      const other = await startNginxWith({ ROUTES: routes, ...more }, origin);
      const asked = get(`${other.baseUrl}/customer`, {
        localAddress: '127.0.0.2',
        headers: { 'x-forwarded-for': '192.0.2.9' },
      });
      const [reply] = (await once(asked, 'response')) as [IncomingMessage];
      reply.resume();
      await other.stop();
      return forwardedFor;
    };
    expect(await addressBehind({ PUBLISH_ADDRESS: '127.0.0.1' })).toBe('192.0.2.9');
    expect(await addressBehind({ PUBLISH_ADDRESS: '0.0.0.0' })).toBe('127.0.0.2');
    expect(await addressBehind({})).toBe('127.0.0.2');
    expect(await addressBehind({ PUBLISH_ADDRESS: '127.0.0.1', PROXY_BEFORE: '198.51.100.1' })).toBe('127.0.0.2');
    rmSync(folder, { recursive: true });
  });

  it.each([
    ['many', 'must be a number, not many'],
    ['-5', 'must be a number, not -5'],
    // The shell would read them as octal numbers.
    ['0300', 'must be a number that does not begin with 0, not 0300'],
    ['08', 'must be a number that does not begin with 0, not 08'],
    ['00', 'must be a number that does not begin with 0, not 00'],
  ])('is bounded by a number: with %s the proxy does not start', async (number, why) => {
    const started = startNginxWith({ PROXY_REQUESTS_PER_SECOND: number }, origin);
    await expect(started).rejects.toThrow(`PROXY_REQUESTS_PER_SECOND ${why}`);
  });
});
