import { randomBytes } from 'node:crypto';
import { METHODS } from 'node:http';
import { Agent, type Dispatcher } from 'undici';
import { generateToken } from '@platform/tokens';
import { createCaller, startApi, type TestApi } from '@test/api';
import { fc } from '@test/fast-check';
import { declaredRoutes } from '@test/nest-routes';

/** `npm run accept:fuzz` sends more. */
const REQUESTS = Number(process.env.ACCEPT_REQUESTS ?? 2500);
const CONCURRENCY = 50;

/** What a client might send. */
interface Attempt {
  method: string;
  path: string;
  headers: [string, string][];
  body: string | Uint8Array | null;
}

describe('random requests', () => {
  let api: TestApi;
  let token: string;
  let routes: string[];
  const agent = new Agent({ connections: CONCURRENCY, pipelining: 1 });
  beforeAll(async () => {
    api = await startApi({
      // As in production: webhooks' secrets are encrypted under it.
      SECRETS_KEY: randomBytes(32).toString('base64'),
      RATE_LIMIT_REQUESTS_PER_MINUTE: '1000000',
      RATE_LIMIT_ADDRESS_PER_MINUTE: '1000000',
      RATE_LIMIT_SMS_PER_MINUTE: '1000000',
      RATE_LIMIT_AI_PER_MINUTE: '1000000',
    });
    token = (await createCaller(api)).token.token;
    routes = [...new Set(declaredRoutes(api.app, 'api/v1').map(({ route }) => route.slice(route.indexOf(' ') + 1)))];
  });
  afterAll(async () => {
    await agent.close();
    await api.stop();
  });

  const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 40 }), fc.string({ unit: 'grapheme', maxLength: 40 }));
  /** Visible text, as HTTP lets it into an address or a header. */
  const plain = (maxLength: number) =>
    fc.string({ unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)), maxLength });

  /** Known fields with random values. */
  const value = fc.oneof(
    fc.constantFrom(
      null,
      '',
      '0',
      -1,
      0,
      1,
      2 ** 31,
      2 ** 53,
      1e308,
      true,
      [],
      {},
      '\0',
      '\ud800',
      'urgent',
      '+4790000000',
      'a'.repeat(6000),
    ),
    text,
    fc.double(),
    fc.jsonValue({ maxDepth: 3 }),
  );
  const FIELDS = [
    'title',
    'body',
    'priority',
    'service_id',
    'resource_type',
    'resource_id',
    'to',
    'message',
    'amount_nok',
  ].concat([
    'note',
    'reference',
    'messages',
    'system',
    'max_tokens',
    'customer_id',
    '__proto__',
    'constructor',
    'model',
    'from',
  ]);
  const fields = fc.dictionary(fc.oneof(fc.constantFrom(...FIELDS), text), value, {
    maxKeys: 6,
    noNullPrototype: true,
  });
  const body = fc.oneof(
    { weight: 6, arbitrary: fields.map((object) => JSON.stringify(object)) },
    { weight: 2, arbitrary: fc.json() },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }) },
    { weight: 1, arbitrary: text },
    { weight: 2, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.nat(3000).map((depth) => '{"a":'.repeat(depth) + '1' + '}'.repeat(depth)) },
  );
  const query = fc.oneof(
    { weight: 3, arbitrary: fc.constant('') },
    {
      weight: 2,
      arbitrary: fc
        .array(
          fc.tuple(
            fc.constantFrom('limit', 'cursor', 'status', 'customer_id', 'limit[]', '__proto__'),
            fc.oneof(text, fc.integer().map(String)),
          ),
        )
        .map((pairs) => `?${pairs.map(([name, given]) => `${name}=${encode(given)}`).join('&')}`),
    },
    { weight: 1, arbitrary: cursor().map((forged) => `?cursor=${forged}`) },
    { weight: 1, arbitrary: plain(60).map((given) => `?${given.replaceAll('#', '')}`) },
  );
  const path = () =>
    fc.tuple(
      fc.oneof(
        {
          weight: 6,
          arbitrary: fc
            .constantFrom(...routes)
            .chain((route) =>
              fc
                .oneof(fc.integer().map(String), fc.uuid(), plain(20).map(encode))
                .map((id) => route.replace(/:\w+/g, id)),
            ),
        },
        { weight: 1, arbitrary: plain(60).map((given) => `/${given.replace(/[?#]/g, '')}`) },
        {
          weight: 1,
          arbitrary: fc
            .constantFrom(...routes)
            .chain((route) => plain(10).map((given) => `${route}${given.replace(/[?#]/g, '')}`)),
        },
        { weight: 1, arbitrary: text.map((given) => `/api/v1/${encode(given)}`) },
      ),
      query,
    );
  const headerValue = fc.string({
    unit: fc
      .oneof(fc.integer({ min: 0x20, max: 0x7e }), fc.integer({ min: 0x80, max: 0xff }))
      .map((code) => String.fromCharCode(code)),
    maxLength: 80,
  });
  const headers = () =>
    fc.tuple(
      fc.oneof(
        { weight: 8, arbitrary: fc.constant(`Bearer ${token}`) },
        { weight: 1, arbitrary: fc.constant(`Bearer ${generateToken()}`) },
        { weight: 1, arbitrary: headerValue },
        { weight: 1, arbitrary: headerValue.map((given) => `Bearer ${given}`) },
      ),
      fc.oneof(
        { weight: 8, arbitrary: fc.constant('application/json') },
        {
          weight: 1,
          arbitrary: fc.constantFrom('text/plain', 'application/json; charset=utf-16', 'multipart/form-data', ';', ''),
        },
        { weight: 1, arbitrary: headerValue },
      ),
      fc.array(
        fc.tuple(
          fc.oneof(
            fc.constantFrom(
              'x-request-id',
              'x-forwarded-for',
              'accept',
              'accept-encoding',
              'cookie',
              'range',
              'if-none-match',
              'origin',
              'x-http-method-override',
              'content-encoding',
            ),
            fc.stringMatching(/^[a-z][a-z0-9-]{0,20}$/).filter((name) => !RESERVED.has(name)),
          ),
          headerValue,
        ),
        { maxLength: 4 },
      ),
    );
  const RESERVED = new Set([
    'host',
    'connection',
    'content-length',
    'transfer-encoding',
    'expect',
    'upgrade',
    'keep-alive',
    'te',
    'trailer',
    'content-type',
    'authorization',
  ]);

  const attempt = (): fc.Arbitrary<Attempt> =>
    fc.record({
      // CONNECT asks for a tunnel, which Node closes before the application sees it.
      method: fc.oneof(
        { weight: 4, arbitrary: fc.constantFrom('GET', 'POST') },
        { weight: 1, arbitrary: fc.constantFrom(...METHODS.filter((name) => name !== 'CONNECT')) },
      ),
      path: path().map(([route, given]) => route + given),
      headers: headers().map(
        ([authorization, type, others]) =>
          [['authorization', authorization], ['content-type', type], ...others] as [string, string][],
      ),
      body,
    });

  it(`get no 5xx and no error but problem details, ${REQUESTS} times over`, async () => {
    const seed = Number(process.env.TEST_SEED);
    const attempts = fc.sample(attempt(), { numRuns: REQUESTS, seed });
    const statuses: Record<string, number> = {};
    const faults: string[] = [];
    const next = attempts.values();
    await Promise.all(
      Array.from({ length: CONCURRENCY }, async () => {
        for (const one of next) {
          const { status, fault } = await send(one);
          statuses[status] = (statuses[status] ?? 0) + 1;
          if (fault) faults.push(`${fault}: ${JSON.stringify(one).slice(0, 500)}`);
        }
      }),
    );
    console.log(`Replies to ${REQUESTS} random requests (seed ${seed}): ${JSON.stringify(statuses)}`);
    expect(faults.slice(0, 5)).toEqual([]);
    expect(Object.values(statuses).reduce((sum, count) => sum + count)).toBe(REQUESTS);
    // The generator also produces requests that pass the guards.
    for (const status of [200, 400, 401, 404, 405, 415]) expect(statuses[status]).toBeGreaterThan(5);
  }, 240_000);

  async function send({
    method,
    path: address,
    headers: given,
    body: payload,
  }: Attempt): Promise<{ status: number; fault?: string }> {
    const hasBody = payload !== null && !['GET', 'HEAD', 'TRACE'].includes(method);
    const reply = await agent.request({
      origin: api.origin,
      path: address,
      method,
      headers: given.flatMap(([name, content]) => [name, content.trim()]),
      body: hasBody ? payload : null,
    });
    const content = await reply.body.text();
    return { status: reply.statusCode, fault: faultOf({ method, address }, reply, content) };
  }
});

/** The fault of a reply, if any. */
function faultOf(
  { method, address }: { method: string; address: string },
  { statusCode, headers }: Dispatcher.ResponseData,
  content: string,
): string | undefined {
  // These tests have no gateway, so requests that reach one fail with 502.
  if (statusCode >= 500 && statusCode !== 502) return `${statusCode} ${content}`;
  if (!headers['x-request-id']) return `${statusCode} without a request id`;
  if (statusCode < 400 || method === 'HEAD') return undefined;
  const isOfSdk = address.startsWith('/api/v1/ai/v1');
  if (!String(headers['content-type']).startsWith(isOfSdk ? 'application/json' : 'application/problem+json'))
    return `${statusCode} of ${String(headers['content-type'])}`;
  const problem = JSON.parse(content) as Record<string, unknown>;
  const members = ['type', ...(isOfSdk ? [] : ['title']), 'detail', 'code', 'request_id'];
  const complete = members.every((name) => typeof problem[name] === 'string' && problem[name] !== '');
  if (!complete || problem.status !== statusCode) return `${statusCode} with ${content}`;
  if (/node_modules|\bat .+:\d+:\d+|select .* from|fastify|nestjs|typeorm/i.test(content))
    return `the inside shows: ${content}`;
  return undefined;
}

function encode(given: string): string {
  return encodeURIComponent(given.toWellFormed());
}

/** Texts that look like a cursor. */
function cursor(): fc.Arbitrary<string> {
  const digits = (length: number) => fc.stringMatching(new RegExp(`^\\d{${length}}$`));
  const time = fc
    .tuple(
      digits(4),
      digits(2),
      digits(2),
      digits(2),
      digits(2),
      digits(2),
      fc.constantFrom('+00', 'Z', '+99', '.123456+00', ' BC', '+00:99'),
    )
    .map(
      ([year, month, day, hour, minute, second, zone]) => `${year}-${month}-${day} ${hour}:${minute}:${second}${zone}`,
    );
  const place = fc.tuple(
    fc.oneof(
      time,
      fc.constantFrom('2026-02-31 00:00:00+00', '0000-01-01 00:00:00+00', '2026-01-01 24:00:00+00', 'infinity', 'now'),
    ),
    fc.oneof(fc.nat().map(String), fc.uuid(), fc.constantFrom('999999999', '2147483648', '-1')),
  );
  return place.map((parts) => Buffer.from(JSON.stringify(parts)).toString('base64url'));
}
