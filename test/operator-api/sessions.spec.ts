import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { BodyMemory } from '@platform/http';
import { OperatorAccountsService, type OperatorRole, OperatorSessionsService } from '@platform/operator-accounts';
import { logIn, operatorCaller, postOf, startOperatorApi, type TestOperatorApi, USER_AGENT } from '@test/operator-api';
import { sendPartialBody } from '@test/partial-body';
import { rawHttp } from '@test/raw-http';
import { until } from '@test/until';

const ATTEMPTS = 30;

describe('sessions of the operator API', () => {
  let api: TestOperatorApi;
  beforeAll(async () => (api = await startOperatorApi({ OPERATOR_LOGIN_ATTEMPTS_PER_MINUTE: String(ATTEMPTS) })));
  afterAll(() => api.stop());

  const codeOf = async (reply: Response) => [reply.status, ((await reply.json()) as { code: string }).code];
  let people = 0;
  const invite = async (role: OperatorRole = 'billing') => {
    const email = `person${++people}@example.com`;
    const { link, id } = await api.app.get(OperatorAccountsService).invite('operator:test', { email, role });
    return { id, email, token: tokenOf(link) };
  };
  const tokenOf = (link: string) => new URL(link.replace('/#/', '/')).searchParams.get('token') ?? '';
  const minutesTo = (time: string) => Math.round((Date.parse(time) - Date.now()) / 60_000);
  const logInWith = (token: string, headers: Record<string, string> = {}) =>
    fetch(`${api.baseUrl}/login/link`, {
      ...postOf({ token }),
      headers: { 'content-type': 'application/json', origin: api.origin, 'user-agent': USER_AGENT, ...headers },
    });
  const cookieOf = (reply: Response) =>
    reply.headers
      .getSetCookie()
      .find((one) => one.startsWith('__Host-operator_session='))
      ?.split(';')[0] ?? '';
  const statusWith = async (cookie: string) => (await operatorCaller(api, cookie)('/session')).status;

  it('begin with a link, once', async () => {
    const { token, email, id } = await invite();
    const reply = await logInWith(token);
    expect(reply.status).toBe(200);
    const session = (await reply.json()) as { expires_at: string };
    expect(session).toMatchObject({
      account: { id, email, role: 'billing' },
      login_methods: { passkey: true, oidc: null },
    });
    expect(minutesTo(session.expires_at)).toBe(12 * 60);
    const [cookie] = reply.headers.getSetCookie();
    expect(cookie).toMatch(/^__Host-operator_session=[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Strict$/);
    expect(await statusWith(cookieOf(reply))).toBe(200);
    expect(await codeOf(await logInWith(token))).toEqual([401, 'login_failed']);
  });

  it('say for how long their login is fresh, by the clock of the database', async () => {
    const cookie = cookieOf(await logInWith((await invite()).token));
    const fresh = async () =>
      ((await (await operatorCaller(api, cookie)('/session')).json()) as { fresh_for_seconds: number })
        .fresh_for_seconds;
    const seconds = await fresh();
    expect(seconds).toBeGreaterThan(280);
    expect(seconds).toBeLessThanOrEqual(300);
    const age = `update operator_session set created_at = now() - $1::interval where revoked_at is null`;
    await api.superuser.query(age, ['4 minutes']);
    expect(await fresh()).toBeGreaterThan(40);
    expect(await fresh()).toBeLessThanOrEqual(60);
    await api.superuser.query(age, ['6 minutes']);
    expect(await fresh()).toBe(0);
    const refused = await operatorCaller(api, cookie)('/passkeys/options', { method: 'POST' });
    expect(await codeOf(refused)).toEqual([403, 'fresh_login_required']);
    // The clock was ahead when the person logged in, and has been set back: it would live for longer by that.
    await api.superuser.query(age, ['-1 hour']);
    expect((await operatorCaller(api, cookie)('/session')).status).toBe(401);
  });

  it('do not begin with a link of ten minutes ago, of a former invitation, or of a deactivated account', async () => {
    const old = await invite();
    await api.superuser.query(`update operator_login_link set expires_at = now() where account_id = $1`, [old.id]);
    expect(await codeOf(await logInWith(old.token))).toEqual([401, 'login_failed']);
    const twice = await invite();
    await api.app.get(OperatorAccountsService).invite('operator:test', { email: twice.email });
    expect(await codeOf(await logInWith(twice.token))).toEqual([401, 'login_failed']);
    const gone = await invite();
    await api.app.get(OperatorAccountsService).setActive('operator:test', gone.id, false);
    expect(await codeOf(await logInWith(gone.token))).toEqual([401, 'login_failed']);
  });

  it('end for good with a deactivation of their account, and so do its links: activated again, it logs in anew', async () => {
    const [admin, person] = [await logIn(api, 'admin'), await logIn(api, 'viewer')];
    const invited = await admin.post('/accounts', { email: person.email });
    const { link, link_expires_at: ends } = (await invited.json()) as { link: string; link_expires_at: string };
    expect(minutesTo(ends)).toBe(10);
    const invite = async (body: object) => {
      const refused = await admin.post('/accounts', { email: person.email, ...body });
      return [refused.status, ((await refused.json()) as { detail: string }).detail];
    };
    expect(await invite({ role: 'admin' })).toEqual([400, `${person.email} has the role viewer: change that first`]);
    expect((await admin.post(`/accounts/${person.id}/deactivate`)).status).toBe(200);
    expect(await invite({})).toEqual([400, `The account of ${person.email} is deactivated: activate it first`]);
    expect((await admin.post(`/accounts/${person.id}/activate`)).status).toBe(200);
    expect(await statusWith(person.cookie)).toBe(401);
    expect(await codeOf(await logInWith(tokenOf(link)))).toEqual([401, 'login_failed']);
  });

  it('are of the person whose address is given, not of one who is called by it', async () => {
    const accounts = api.app.get(OperatorAccountsService);
    const [address, role] = ['the-other@example.com', 'viewer'] as const;
    const named = await accounts.invite('operator:test', { email: 'one@example.com', name: address, role });
    const other = await accounts.invite('operator:test', { email: address, name: named.id, role });
    const found = async (text: string) => (await accounts.find(text)).id;
    expect([await found('The-Other@example.com '), await found('one@example.com')]).toEqual([other.id, named.id]);
    expect([await found(named.id), await found(other.id)]).toEqual([named.id, other.id]);
  });

  it('never take over a cookie that was there before the login', async () => {
    const { token } = await invite();
    const planted = `__Host-operator_session=${'A'.repeat(43)}`;
    const reply = await logInWith(token, { cookie: planted });
    expect(cookieOf(reply)).not.toBe(planted);
    expect(await statusWith(planted)).toBe(401);
    expect(await statusWith(cookieOf(reply))).toBe(200);
  });

  it('are of nobody if the browser has two cookies of the name, one of which is not ours', async () => {
    const { cookie } = await logIn(api, 'support');
    const planted = `__Host-operator_session=${'A'.repeat(43)}`;
    expect(await statusWith(`${cookie}; ${planted}`)).toBe(401);
    expect(await statusWith(`${planted}; ${cookie}`)).toBe(401);
    expect(await statusWith(`other=1; ${cookie}`)).toBe(200);
  });

  it('end when another login replaces them in the same browser', async () => {
    const first = cookieOf(await logInWith((await invite()).token));
    const second = cookieOf(await logInWith((await invite()).token, { cookie: first }));
    const late = await operatorCaller(api, first)('/session');
    // Its reply may come behind the one that has set the cookie of the second.
    expect([late.status, late.headers.getSetCookie()]).toEqual([401, []]);
    expect(await statusWith(second)).toBe(200);
  });

  it.each([
    ['12 hours', `update operator_session set expires_at = now() where account_id = $1`],
    [
      '30 minutes without a request',
      `update operator_session set last_seen_at = now() - interval '31 minutes' where account_id = $1`,
    ],
    ['a deactivation of the account', `update operator_account set active = false where id = $1`],
    ['a revocation', `update operator_session set revoked_at = now() where account_id = $1`],
  ])('end after %s', async (_end, statement) => {
    const operator = await logIn(api, 'support');
    expect(await statusWith(operator.cookie)).toBe(200);
    await api.superuser.query(statement, [operator.id]);
    expect(await codeOf(await operator.call('/session'))).toEqual([401, 'login_required']);
  });

  it('are not kept by what an open page asks whose person has left', async () => {
    const operator = await logIn(api, 'support');
    const left = (minutes: number) =>
      api.superuser.query(
        `update operator_session set last_seen_at = now() - $2 * interval '1 minute' where account_id = $1`,
        [operator.id, minutes],
      );
    const idleMinutes = async (headers: Record<string, string>) => {
      const { idle_expires_at: idle } = (await (await operator.call('/session', { headers })).json()) as {
        idle_expires_at: string;
      };
      return Math.round((Date.parse(idle) - Date.now()) / 60_000);
    };
    await left(20);
    expect(await idleMinutes({ 'x-unattended': 'true' })).toBe(10);
    expect(await idleMinutes({ 'x-unattended': 'true' })).toBe(10);
    expect(await idleMinutes({})).toBe(30);
    expect(await idleMinutes({ 'x-unattended': 'true' })).toBe(30);
    await left(31);
    const ended = await operator.call('/session', { headers: { 'x-unattended': 'true' } });
    expect(await codeOf(ended)).toEqual([401, 'login_required']);
  });

  it('end for the thief and for the owner when another browser sends their cookie, which the audit log says', async () => {
    const operator = await logIn(api, 'support');
    const stolen = await operator.call('/session', { headers: { 'user-agent': 'Another browser' } });
    expect(await codeOf(stolen)).toEqual([401, 'login_required']);
    expect(await statusWith(operator.cookie)).toBe(401);
    const { rows } = await api.superuser.query(
      `select metadata from audit_log where actor = $1 and action = 'session.revoke'`,
      [`operator:${operator.name}`],
    );
    expect(rows).toMatchObject([{ metadata: { reason: 'another browser sent its cookie' } }]);
  });

  it('are listed and ended by their person, and not by others', async () => {
    const [one, other] = [await logIn(api, 'support'), await logIn(api, 'support')];
    const { data } = (await (await one.call('/sessions')).json()) as { data: { id: string; current: boolean }[] };
    expect(data).toMatchObject([{ current: true, method: 'link', user_agent: USER_AGENT }]);
    // Another browser of the same person's, until it has ended in one of these ways.
    const account = await api.app.get(OperatorAccountsService).find(one.email);
    for (const end of ['revoked_at = now()', 'expires_at = now()', `last_seen_at = now() - interval '30 minutes'`]) {
      const browser = { userAgent: 'Phone', network: '127.0.0.1' };
      await api.app.get(OperatorSessionsService).begin(account, { method: 'passkey' }, browser);
      expect(await (await one.call('/sessions')).json()).toMatchObject({
        data: [{ user_agent: 'Phone' }, { current: true }],
      });
      await api.superuser.query(`update operator_session set ${end} where account_id = $1 and method = 'passkey'`, [
        one.id,
      ]);
      expect(await (await one.call('/sessions')).json()).toMatchObject({ data: [{ current: true }] });
    }
    const path = `/sessions/${data[0]!.id}/revoke`;
    expect(await codeOf(await other.post(path))).toEqual([404, 'not_found']);
    expect((await one.post(path)).status).toBe(204);
    expect(await statusWith(one.cookie)).toBe(401);
  });

  it('end at a logout, and with all sessions of an account', async () => {
    const operator = await logIn(api, 'viewer');
    const reply = await operator.post('/logout');
    expect([reply.status, reply.headers.get('clear-site-data')]).toEqual([204, '"cache", "storage"']);
    expect(reply.headers.getSetCookie()[0]).toMatch(/^__Host-operator_session=; .*Max-Age=0$/);
    expect(await statusWith(operator.cookie)).toBe(401);
    const [admin, person] = [await logIn(api, 'admin'), await logIn(api, 'viewer')];
    expect((await admin.post(`/accounts/${person.id}/sessions/revoke`)).status).toBe(204);
    expect(await statusWith(person.cookie)).toBe(401);
    expect(await codeOf(await admin.call(`/accounts/${randomUUID()}/sessions`))).toEqual([404, 'not_found']);
  });

  it('have another role at once', async () => {
    const [admin, person] = [await logIn(api, 'admin'), await logIn(api, 'admin')];
    expect((await person.call('/accounts')).status).toBe(200);
    expect((await admin.post(`/accounts/${person.id}/set-role`, { role: 'viewer' })).status).toBe(200);
    expect(await codeOf(await person.call('/accounts'))).toEqual([403, 'role_required']);
  });

  it.each<[string, number, string | undefined, object | undefined]>([
    ['their account was deactivated', 401, 'deactivate', undefined],
    ['they were revoked', 401, 'sessions/revoke', undefined],
    ['their role was taken', 403, 'set-role', { role: 'viewer' }],
    ['later', 201, undefined, undefined],
  ])('are looked at again behind a body that was held back until %s', async (_until, status, change, body) => {
    const [admin, person] = [await logIn(api, 'admin'), await logIn(api, 'admin')];
    const memory = api.app.get(BodyMemory);
    const email = `friend-of-${person.email}`;
    const held = await sendPartialBody(`${api.baseUrl}/accounts`, undefined, JSON.stringify({ email, role: 'admin' }), [
      `Cookie: ${person.cookie}`,
      `Origin: ${api.origin}`,
      `User-Agent: ${USER_AGENT}`,
    ]);
    await until(() => memory.bytes > 0);
    if (change !== undefined) expect((await admin.post(`/accounts/${person.id}/${change}`, body)).ok).toBe(true);
    // A body that comes at once is not waited for.
    await setTimeout(100);
    expect(await held.finish()).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    const { rows } = await api.superuser.query('select role from operator_account where email = $1', [email]);
    expect(rows).toEqual(status === 201 ? [{ role: 'admin' }] : []);
    await until(() => memory.bytes === 0);
  });

  it('have another role only if they still have the one that was shown', async () => {
    const [admin, person] = [await logIn(api, 'admin'), await logIn(api, 'support')];
    const set = (body: object) => admin.post(`/accounts/${person.id}/set-role`, body);
    expect((await set({ role: 'viewer', replaces: 'support' })).status).toBe(200);
    const late = await set({ role: 'admin', replaces: 'support' });
    expect(await codeOf(late)).toEqual([400, 'invalid_request']);
    expect((await set({ role: 'billing', replaces: 'viewer' })).status).toBe(200);
  });

  it('leave one administrator', async () => {
    const admin = await logIn(api, 'admin');
    await api.superuser.query(`update operator_account set role = 'viewer' where id <> $1`, [admin.id]);
    const demoted = await admin.post(`/accounts/${admin.id}/set-role`, { role: 'viewer' });
    expect(await codeOf(demoted)).toEqual([400, 'invalid_request']);
    expect(await codeOf(await admin.post(`/accounts/${admin.id}/deactivate`))).toEqual([400, 'invalid_request']);
    expect((await admin.call('/accounts')).status).toBe(200);
  });

  it('are stored as hashes alone, and so are links', async () => {
    const { token } = await invite();
    const secret = cookieOf(await logInWith(token)).split('=')[1]!;
    const { rows } = await api.superuser.query<{ text: string }>(
      `select row_to_json(s)::text as text from operator_session s union all select row_to_json(l)::text from operator_login_link l
       union all select metadata::text from audit_log`,
    );
    const hex = (text: string) => Buffer.from(text).toString('hex');
    const stored = rows.map(({ text }) => text).join('\n');
    for (const text of [secret, token])
      expect([stored.includes(text), stored.includes(hex(text))]).toEqual([false, false]);
  });

  describe('refuse requests', () => {
    it.each<[string, Record<string, string>]>([
      ['of another site', { origin: 'https://evil.example' }],
      ['of a site whose name begins like ours', { origin: 'http://localhost.evil.example' }],
      ['of a frame without an origin', { origin: 'null' }],
      ['that a browser says come from elsewhere', { 'sec-fetch-site': 'cross-site' }],
      ['that a browser says come from a neighbour', { 'sec-fetch-site': 'same-site' }],
      ['with an empty origin', { origin: '' }],
    ])('that change something %s', async (_from, headers) => {
      const operator = await logIn(api, 'admin');
      const reply = await operator.call('/customers', {
        ...postOf({ name: 'A', organization_number: '974760673', email: 'a@b.example' }),
        headers: { 'content-type': 'application/json', ...headers },
      });
      expect(await codeOf(reply)).toEqual([403, 'cross_site_request']);
      expect(await codeOf(await logInWith('x', headers))).toEqual([403, 'cross_site_request']);
    });

    it('under another name, which somebody may have pointed here', async () => {
      const { port } = new URL(api.origin);
      const methods = '/operator/v1/login/methods';
      const [evil, own] = [`evil.example:${port}`, `localhost:${port}`];
      const ask = (target: string, host: string) =>
        rawHttp(api.origin, `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
      // Of a whole address, its host counts.
      for (const reply of [await ask(methods, evil), await ask(`http://${evil}${methods}`, own)]) {
        expect(reply?.status).toBe(403);
        expect(JSON.parse(reply!.body)).toMatchObject({ code: 'forbidden' });
      }
      expect((await ask(`http://${own}${methods}`, evil))?.status).toBe(200);
    });

    it("under this machine's own names, unless it is the address", async () => {
      const headers = (host: string) =>
        `GET /operator/v1/login/methods HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
      const statuses = async (address: string) => {
        const other = await startOperatorApi({ OPERATOR_URL: address });
        try {
          const hosts = [new URL(address).host, 'localhost:5000', 'evil.example'];
          return await Promise.all(hosts.map(async (host) => (await rawHttp(other.origin, headers(host)))?.status));
        } finally {
          await other.stop();
        }
      };
      expect(await statuses('https://console.example.com:8444')).toEqual([200, 403, 403]);
      // A tunnel may have another port.
      expect(await statuses('http://localhost:3001')).toEqual([200, 200, 403]);
    });

    it('with pages that protect themselves from being framed, and from scripts that are not ours', async () => {
      const { headers } = await fetch(`${api.baseUrl}/login/methods`);
      expect(headers.get('x-frame-options')).toBe('DENY');
      const policy = headers.get('content-security-policy')!;
      expect(policy.replace(/nonce-[\w+/=]{24}/, 'nonce-…').split('; ')).toEqual([
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self' 'nonce-…'",
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "manifest-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
      ]);
      const again = (await fetch(`${api.baseUrl}/login/methods`)).headers.get('content-security-policy');
      expect(again).not.toBe(policy);
    });
  });

  it('begin as often as an address may log in, though a login with a passkey takes two requests', async () => {
    const call = operatorCaller(api, '');
    const body = { response: { id: 'unknown' } };
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      expect((await call('/login/passkey/options', { method: 'POST' })).status).toBe(200);
      expect(await codeOf(await call('/login/passkey/verify', postOf(body)))).toEqual([401, 'login_failed']);
    }
    expect((await call('/login/passkey/options', { method: 'POST' })).status).toBe(429);
    expect((await call('/login/passkey/verify', postOf(body))).status).toBe(429);
  });

  it('cannot be guessed: logins are limited by address', async () => {
    const codes = [];
    let wait: string | null = null;
    for (let attempt = 0; attempt <= ATTEMPTS; attempt++) {
      const reply = await logInWith('x');
      wait = reply.headers.get('retry-after');
      codes.push((await codeOf(reply)).join(' '));
    }
    expect(Number(wait)).toBeGreaterThan(0);
    expect(Number(wait)).toBeLessThanOrEqual(60);
    expect(codes.at(-1)).toBe('429 rate_limited');
    expect(codes.slice(0, -1).filter((code) => !/^(401 login_failed|429 rate_limited)$/.test(code))).toEqual([]);
  });
});
