import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { EDGES, edgeRequests, type InterfaceDocument, sentBody } from '@test/edge-requests';
import { fc } from '@test/fast-check';
import { declaredRoutes } from '@test/nest-routes';
import { logIn, startOperatorApi, type TestOperator, type TestOperatorApi } from '@test/operator-api';
import { saveFakeCustomer } from '@test/factories/customer.factory';
import document from '../../apps/operator-api/openapi.json';

/** `npm run accept:operator-fuzz` sends more. */
const REQUESTS = Number(process.env.ACCEPT_REQUESTS ?? 400);
const CONCURRENCY = 20;
const MOST_TRIES = 4;

const {
  paths,
  components: { schemas },
}: InterfaceDocument = document;

describe('random requests to the operator API', () => {
  let api: TestOperatorApi;
  let admin: TestOperator;
  let routes: string[];
  let known: string[];
  beforeAll(async () => {
    api = await startOperatorApi({ SECRETS_KEY: randomBytes(32).toString('base64') });
    admin = await logIn(api, 'admin');
    known = [(await saveFakeCustomer(api.superuser)).id, admin.id];
    // Those that end the caller's own session, or ask other systems, are tried elsewhere.
    const left = /logout|revoke|set-role|deactivate$|installation\/checks|login\/oidc/;
    routes = declaredRoutes(api.app, 'operator/v1')
      .map(({ route }) => route)
      .filter((route) => route.includes('/operator/') && !left.test(route));
  });
  afterAll(() => api.stop());

  it(`never fail because of the service: ${REQUESTS} of them`, async () => {
    const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 40 }), fc.string({ unit: 'grapheme', maxLength: 40 }));
    const value = fc.oneof(
      fc.constantFrom<unknown>(
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
        'a'.repeat(6000),
      ),
      fc.constantFrom('admin', 'open', 'stripe', 'manual_adjustment', 'refund', '12.50', '2026-02-31', '2026-11-20', [
        'ai:read',
      ]),
      fc.constantFrom(...known),
      text,
      fc.double(),
      fc.jsonValue({ maxDepth: 2 }),
    );
    const names = [...new Set(Object.values(schemas).flatMap(({ properties = {} }) => Object.keys(properties)))];
    const parameters = Object.values(paths)
      .flatMap((path) => Object.values(path))
      .flatMap(({ parameters: own = [] }) => own.filter((one) => one.in === 'query').map(({ name }) => name));
    const attempt = fc.record({
      route: fc.constantFrom(...routes),
      id: fc.oneof(fc.uuid(), fc.constantFrom(...known), fc.nat(99).map(String), text.map(encodeURIComponentSafely)),
      query: fc.array(
        fc.tuple(fc.constantFrom(...new Set(parameters)), fc.oneof(text, fc.constantFrom('1', 'true', ...known))),
        { maxLength: 3 },
      ),
      body: fc.oneof(
        {
          weight: 8,
          arbitrary: fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 5, noNullPrototype: true }),
        },
        { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
      ),
      key: fc.option(fc.constantFrom('one', 'two', 'three'), { freq: 8 }),
    });
    const failures: string[] = [];
    const attempts = fc.sample(attempt, REQUESTS);
    const next = async (): Promise<void> => {
      for (let one = attempts.pop(); one; one = attempts.pop()) {
        const [method = '', path = ''] = one.route.split(' ');
        const query = one.query.map(([name, given]) => `${name}=${encodeURIComponentSafely(given)}`).join('&');
        const address = `${path.replace('/operator/v1', '').replace(':id', one.id)}?${query}`;
        const hasBody = method === 'POST' || method === 'PATCH';
        const send = () =>
          admin.call(address, {
            method,
            ...(hasBody && { body: JSON.stringify(one.body) }),
            headers: {
              ...(hasBody && { 'content-type': 'application/json' }),
              ...(one.key && { 'idempotency-key': one.key }),
            },
          });
        let reply = await send();
        // On processors that others use, the first requests, which load much, can keep a flood of their account waiting for seconds.
        for (let tries = 1; reply.status === 503 && tries < MOST_TRIES; tries++) {
          await delay(Number(reply.headers.get('retry-after') ?? 1) * 1000);
          reply = await send();
        }
        const body = await reply.text();
        if (reply.status >= 500)
          failures.push(`${method} ${address} ${JSON.stringify(one.body)}: ${reply.status} ${body}`);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, next));
    expect(failures).toEqual([]);
    expect((await admin.call('/session')).status).toBe(200);
  }, 600_000);

  it('never fail because of one value at the edge of what its field or parameter takes', async () => {
    const { id: customer } = await saveFakeCustomer(api.superuser);
    const service = await admin.post('/services', { customer_id: customer, type: 'hosting', name: 'Web', config: {} });
    const { id: serviceId } = (await service.json()) as { id: number };
    const addressOf = (method: string, path: string) =>
      routes.includes(`${method} /operator/v1${path.replaceAll(/\{(\w+)\}/g, ':$1')}`)
        ? path.replace('{id}', path.includes('/services/') ? String(serviceId) : customer)
        : undefined;
    const failures: string[] = [];
    let sent = 0;
    for (const one of edgeRequests(document, { values: EDGES, addressOf, good: { customer_id: customer } })) {
      const reply = await admin.call(one.address, { method: one.method, ...sentBody(one) });
      const text = await reply.text();
      sent++;
      if (reply.status >= 500) failures.push(`${JSON.stringify(one)}: ${reply.status} ${text}`);
    }
    expect(failures).toEqual([]);
    expect(sent).toBeGreaterThan(1000);
  }, 600_000);
});

/** Half a surrogate pair cannot be sent. */
function encodeURIComponentSafely(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
