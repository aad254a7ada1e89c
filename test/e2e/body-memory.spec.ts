import { once } from 'node:events';
import { connect } from 'node:net';
import { BodyMemory } from '@platform/http';
import { createCaller, startApi, type TestApi } from '@test/api';
import { takeViolations } from '@test/conformance/violations';
import { expectProblem } from '@test/expect-problem';
import { sendPartialBody } from '@test/partial-body';
import { until } from '@test/until';

const TICKETS = '/support/tickets';
const OF_ONE = 30_000;
const OF_ALL = 50_000;
/** A ticket's body of the given size. */
const ticket = (bytes: number) => {
  const text = '{"title":"A question","body":"How?"';
  return `${text}${' '.repeat(bytes - text.length - 1)}}`;
};

describe('bytes of bodies in memory', () => {
  let api: TestApi;
  let memory: BodyMemory;
  beforeAll(async () => {
    api = await startApi({
      BODY_MEMORY_BYTES_PER_CUSTOMER: String(OF_ONE),
      BODY_MEMORY_BYTES: String(OF_ALL),
      RATE_LIMIT_REQUESTS_PER_MINUTE: '100000',
      RATE_LIMIT_ADDRESS_PER_MINUTE: '100000',
    });
    memory = api.app.get(BodyMemory);
  });
  afterAll(() => api.stop());
  afterEach(() => until(() => memory.bytes === 0));

  type Caller = Awaited<ReturnType<typeof createCaller>>;
  const post = ({ call }: Caller, body: string, headers: Record<string, string> = {}) =>
    call(TICKETS, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } });
  /** Starts a request that occupies this many bytes until it is ended. */
  const hold = async ({ token }: Caller, bytes: number) => {
    const before = memory.bytes;
    const held = await sendPartialBody(`${api.baseUrl}${TICKETS}`, token.token, ticket(bytes));
    await until(() => memory.bytes === before + bytes - 1);
    return held;
  };

  it('are bounded for each customer, whose next is refused with 429 and accepted when memory is free again', async () => {
    const [me, other] = [await createCaller(api), await createCaller(api)];
    // Its share of the process's memory has room for more.
    const held = await hold(me, 16_000);
    const refused = await post(me, ticket(15_000));
    expect(refused.headers.get('retry-after')).toBe('5');
    expect((await expectProblem(refused, 429, 'rate_limited')).detail).toContain(`${OF_ONE} bytes together`);
    expect((await post(other, ticket(15_000))).status).toBe(201);
    expect(await held.finish()).toMatch(/^HTTP\/1\.1 201/);
    expect((await post(me, ticket(15_000))).status).toBe(201);
  });

  it('that still come when they are refused cost the connection: the next request would wait behind them', async () => {
    const { hostname, port, host } = new URL(api.baseUrl);
    const socket = connect(Number(port), hostname);
    const head = `POST /api/v1/support/tickets HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer unknown\r\ncontent-type: application/json\r\n`;
    socket.write(`${head}content-length: 200000\r\n\r\n${' '.repeat(1000)}`);
    let reply = '';
    socket.on('data', (data: Buffer) => (reply += data.toString()));
    // The whole reply, while the body is being sent.
    await until(() => reply.endsWith('}'));
    expect(reply).toMatch(/^HTTP\/1\.1 401 [\s\S]*\r\nconnection: close\r\n/i);
    socket.write(`${' '.repeat(199_000)}GET /api/v1/customer HTTP/1.1\r\nhost: ${host}\r\n\r\n`);
    await once(socket, 'close');
    expect(reply.match(/HTTP\/1\.1/g)).toHaveLength(1);
  });

  it.each([
    ['GET', '/customer', 200],
    ['POST', '/support/tickets/999999999/close', 404],
  ])(
    'that nobody reads come before the reply, so that a next request waits for none: %s %s',
    async (method, path, status) => {
      const { token, call } = await createCaller(api);
      const { hostname, port, host } = new URL(api.baseUrl);
      const socket = connect(Number(port), hostname);
      const head = (verb: string, at: string) =>
        `${verb} /api/v1${at} HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${token.token}\r\n`;
      socket.write(`${head(method, path)}content-length: 200000\r\n\r\n${' '.repeat(199_999)}`);
      let replies = '';
      socket.on('data', (data: Buffer) => (replies += data.toString()));
      // Requests of the same caller are answered meanwhile.
      for (let others = 0; others < 3; others++) expect((await call('/customer')).status).toBe(200);
      expect(replies).toBe('');
      socket.write(` ${head('GET', '/customer')}connection: close\r\n\r\n`);
      await once(socket, 'close');
      expect([...replies.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, code]) => Number(code))).toEqual([status, 200]);
      // The description has no body there.
      takeViolations();
    },
  );

  it('are bounded for the process, which refuses the next with 503', async () => {
    const [one, two, three] = [await createCaller(api), await createCaller(api), await createCaller(api)];
    const held = [await hold(one, 25_000), await hold(two, 20_000)];
    const refused = await post(three, ticket(10_000));
    expect(refused.headers.get('retry-after')).toBe('5');
    await expectProblem(refused, 503, 'service_unavailable');
    const more = await expectProblem(await post(one, ticket(4_000)), 429, 'rate_limited');
    expect(more.detail).toContain('fill your share');
    for (const body of held) body.hangUp();
    await until(() => memory.bytes === 0);
    expect((await post(three, ticket(10_000))).status).toBe(201);
  });

  it.each<[string, string, number]>([
    ['an answered one', ticket(20_000), 201],
    ['one that is not JSON', `${'['.repeat(50)}]`, 400],
    ['one that is cut short', ticket(20_000).slice(0, -1), 400],
    ['one of too many values', `{"x":[${'1,'.repeat(12_000)}1]}`, 413],
    ['one with a fault in a field', '{"title":"","body":7}', 400],
    ['one above the bound', ticket(OF_ONE + 1), 429],
  ])('are given back once after %s', async (_case, body, status) => {
    const me = await createCaller(api);
    expect((await post(me, body)).status).toBe(status);
    // Released twice, the sum would be negative.
    await until(() => memory.bytes === 0);
    expect((await post(me, ticket(OF_ONE))).status).toBe(201);
  });

  it('are released when the client disconnects', async () => {
    const me = await createCaller(api);
    (await hold(me, 20_000)).hangUp();
    await until(() => memory.bytes === 0);
    expect((await post(me, ticket(20_000))).status).toBe(201);
  });
});
