import { once } from 'node:events';
import { connect, type Server, type Socket } from 'node:net';
import { BodyMemory, TurnBudget } from '@platform/http';
import type { HostileRequest } from '@test/hostile-requests';
import { holdLock, waitForLocks } from '@test/locks';
import { logIn, startOperatorApi, type TestOperator, type TestOperatorApi, USER_AGENT } from '@test/operator-api';
import { AttackClient, type Seen } from '@test/share-attacks';
import { until } from '@test/until';

/** Other specs take most of the processors meanwhile. */
const SLOW_MS = 90_000;
/** Refusals of the flood that are waited for, and answers that its neighbour gets meanwhile. */
const ENOUGH = 50;
const ANSWERS = 10;
/** Not more of them come than an account has places when a loaded machine stands still for a second. */
const NEIGHBOUR_EVERY_MS = 400;
const CONNECTIONS = 32;

describe('the operator API under a flood', () => {
  let api: TestOperatorApi;
  let kari: TestOperator;
  let ola: TestOperator;
  beforeAll(async () => {
    api = await startOperatorApi({
      OPERATOR_LOGIN_ATTEMPTS_PER_MINUTE: '10',
      BODY_MEMORY_BYTES_PER_CUSTOMER: '100000',
    });
    [kari, ola] = [await logIn(api, 'viewer'), await logIn(api, 'viewer')];
    for (const one of [kari, ola]) await one.call('/session');
  }, SLOW_MS);
  afterAll(() => api.stop());

  const read = ({ cookie }: TestOperator, path: string, prefix = '/operator/v1'): HostileRequest => ({
    ...{ method: 'GET', path: prefix + path, headers: { cookie, 'user-agent': USER_AGENT } },
  });

  /** Floods the process until enough got this status, while Ola looks at something else. */
  async function flood(requests: HostileRequest[], status: number): Promise<{ attacker: Seen; neighbour: Seen }> {
    const { origin } = api;
    const looking = new AttackClient({ origin, requests: [read(ola, '/prices')], everyMs: NEIGHBOUR_EVERY_MS });
    const flooding = new AttackClient({ origin, requests, connections: CONNECTIONS });
    await until(async () => {
      const [attacker, neighbour] = [await flooding.look(), await looking.look()];
      return (attacker.tally[status] ?? 0) >= ENOUGH && (neighbour.tally[200] ?? 0) >= ANSWERS;
    }, 200);
    return { neighbour: await looking.stop(), attacker: await flooding.stop() };
  }

  it.each([
    ['lists', '/operator/v1'],
    ['lists by a percent-encoded address', '/operator/%761'],
  ])(
    'of %s that take long answers others, and tells the person whose lists they are',
    async (_name, prefix) => {
      // Each of the lists takes the time that a statement may have.
      await api.superuser.query('begin');
      await api.superuser.query('lock table customer in access exclusive mode');
      const { attacker, neighbour } = await flood([read(kari, '/customers', prefix)], 429);
      await api.superuser.query('rollback');
      expect(neighbour.tally).toEqual({ 200: expect.any(Number) });
      expect(attacker.texts).toContainEqual(expect.stringMatching(/^429: Too many of your requests are under way/));
      expect(attacker.tally).not.toHaveProperty('500');
      await until(async () => (await kari.call('/customers')).status === 200);
    },
    SLOW_MS,
  );

  it(
    'of logins answers others, and says when to try again',
    async () => {
      const headers = { origin: api.origin, 'content-type': 'application/json' };
      const body = JSON.stringify({ token: 'x'.repeat(43) });
      const { attacker, neighbour } = await flood(
        [{ method: 'POST', path: '/operator/v1/login/link', headers, body }],
        429,
      );
      expect(neighbour.tally).toEqual({ 200: expect.any(Number) });
      expect(attacker.texts).toContainEqual(
        expect.stringMatching(/^429: Too many logins from your address; try again/),
      );
      expect(attacker.tally).not.toHaveProperty('500');
    },
    SLOW_MS,
  );

  it(
    'of logins that are refused keeps nothing of their bodies in memory',
    async () => {
      const headers = { origin: api.origin, 'content-type': 'application/json' };
      const logInWith = async (bytes: number) => {
        const body = JSON.stringify({ token: 'x'.repeat(43), more: 'x'.repeat(bytes) });
        return (await fetch(`${api.baseUrl}/login/link`, { method: 'POST', headers, body })).status;
      };
      await until(async () => (await logInWith(0)) === 429);
      // More than all bodies may take together.
      for (const bytes of [15_000, 1_000])
        for (let count = 0; count < 10; count++) expect(await logInWith(bytes)).toBe(429);
      // It has no token in it.
      expect((await kari.post('/tokens/find', { text: 'x'.repeat(5_000) })).status).toBe(400);
    },
    SLOW_MS,
  );

  it('of requests whose senders disconnect while the bodies wait for a turn keeps nothing of these in memory', async () => {
    const { hostname, port, host } = new URL(api.origin);
    const turns = api.app.get(TurnBudget);
    const waiting: (() => void)[] = [];
    const mocks = [
      jest.spyOn(turns, 'spent', 'get').mockReturnValue(true),
      jest.spyOn(turns, 'later').mockImplementation((_party, work) => void waiting.push(work)),
    ];
    const body = JSON.stringify({ text: 'x'.repeat(5_000) });
    // All of it is there before the session is known, and so the body ends before it is accepted.
    const head = [
      ...['POST /operator/v1/tokens/find HTTP/1.1', `Host: ${host}`, `Origin: ${api.origin}`, `Cookie: ${kari.cookie}`],
      ...[`User-Agent: ${USER_AGENT}`, 'Content-Type: application/json', `Content-Length: ${body.length}`, '', ''],
    ];
    const accepted = once(api.app.getHttpServer() as Server, 'connection') as Promise<[Socket]>;
    const socket = connect(Number(port), hostname);
    socket.write(head.join('\r\n') + body);
    const [received] = await accepted;
    await until(() => waiting.length > 0);
    const closed = new Promise((resolve) => received.once('close', resolve));
    socket.resetAndDestroy();
    await closed;
    for (const mock of mocks) mock.mockRestore();
    for (const work of waiting) work();
    await until(() => !turns.spent);
    expect(api.app.get(BodyMemory).bytes).toBe(0);
  });

  it(
    'of logins whose bodies do not come keeps nobody out',
    async () => {
      const { hostname, port } = new URL(api.origin);
      const head = [
        ...['POST /operator/v1/login/link HTTP/1.1', `Host: ${hostname}:${port}`, `Origin: ${api.origin}`],
        ...['Content-Type: application/json', 'Content-Length: 100', '', '{'],
      ];
      const newcomer = await logIn(api, 'viewer');
      const unfinished = Array.from({ length: 3 }, () => connect(Number(port), hostname));
      await Promise.all(unfinished.map((socket) => new Promise((sent) => socket.write(head.join('\r\n'), sent))));
      expect((await newcomer.call('/session')).status).toBe(200);
      expect((await fetch(`${api.baseUrl}/login/methods`)).status).toBe(200);
      for (const socket of unfinished) socket.destroy();
    },
    SLOW_MS,
  );

  it(
    'lets no two people of one address wait for each other when they come for the first time',
    async () => {
      const [first, second] = [await logIn(api, 'viewer'), await logIn(api, 'viewer')];
      const release = await holdLock(api.database, 'lock table customer in access exclusive mode');
      const slow = first.call('/customers');
      await waitForLocks(api.superuser, 1);
      expect((await second.call('/prices')).status).toBe(200);
      await release();
      expect((await slow).status).toBe(200);
    },
    SLOW_MS,
  );

  it(
    'of cookies that are of no session answers others',
    async () => {
      const headers = { cookie: `__Host-operator_session=${'x'.repeat(43)}`, 'user-agent': USER_AGENT };
      const { attacker, neighbour } = await flood([{ method: 'GET', path: '/operator/v1/customers', headers }], 401);
      expect(neighbour.tally).toEqual({ 200: expect.any(Number) });
      expect(attacker.tally).not.toHaveProperty('500');
    },
    SLOW_MS,
  );
});
