import {
  logIn,
  operatorCaller,
  postOf,
  startOperatorApi,
  type TestOperator,
  type TestOperatorApi,
} from '@test/operator-api';
import { SoftwarePasskey } from '@test/software-passkey';

interface Options {
  challenge: string;
  rpId?: string;
}

describe('passkeys of the operator API', () => {
  let api: TestOperatorApi;
  beforeAll(async () => (api = await startOperatorApi()));
  afterAll(() => api.stop());

  const attemptOf = (reply: Response) =>
    reply.headers
      .getSetCookie()
      .find((one) => one.startsWith('__Host-operator_login='))
      ?.split(';')[0] ?? '';
  const passkey = (origin = api.origin) => new SoftwarePasskey({ rpID: new URL(origin).hostname, origin });

  /** Registers a passkey as the console does. */
  async function register(
    operator: TestOperator,
    authenticator: SoftwarePasskey,
    tamper = (options: Options) => options,
    name = 'Laptop',
  ) {
    const begun = await operator.post('/passkeys/options');
    const body = { name, response: authenticator.create(tamper((await begun.json()) as Options)) };
    return operator.call('/passkeys', {
      ...postOf(body),
      headers: { 'content-type': 'application/json', cookie: `${operator.cookie}; ${attemptOf(begun)}` },
    });
  }

  /** Logs in as the console does, in a browser with these cookies. */
  async function logInWith(authenticator: SoftwarePasskey, cookies = '') {
    const begun = await operatorCaller(api, cookies)('/login/passkey/options', { method: 'POST' });
    const options = (await begun.json()) as Options;
    const response = authenticator.get(options);
    const attempt = attemptOf(begun);
    const send = () =>
      operatorCaller(api, [cookies, attempt].filter(Boolean).join('; '))('/login/passkey/verify', postOf({ response }));
    return { options, send, reply: await send() };
  }
  const codeOf = async (reply: Response) => [reply.status, ((await reply.json()) as { code: string }).code];

  it('are added in a session, and log in from then on', async () => {
    const operator = await logIn(api, 'billing');
    const authenticator = passkey();
    const added = await register(operator, authenticator);
    expect([added.status, await added.json()]).toEqual([
      201,
      expect.objectContaining({ name: 'Laptop', last_used_at: null }),
    ]);
    const { options, reply } = await logInWith(authenticator);
    expect(options.rpId).toBe('localhost');
    expect(await reply.json()).toMatchObject({ account: { id: operator.id, role: 'billing' } });
    expect(reply.headers.getSetCookie()).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^__Host-operator_session=.{20}/),
        expect.stringMatching(/^__Host-operator_login=;.*Max-Age=0$/),
      ]),
    );
    const { data } = (await (await operator.call('/passkeys')).json()) as { data: object[] };
    expect(data).toEqual([expect.objectContaining({ last_used_at: expect.any(String) })]);
  });

  it('have a name of 1 to 80 characters, without the spaces around it', async () => {
    const operator = await logIn(api, 'viewer');
    const named = (name: string) => register(operator, passkey(), undefined, name);
    for (const name of ['', '  ', 'x'.repeat(81)])
      expect([name, ...(await codeOf(await named(name)))]).toEqual([name, 400, 'invalid_request']);
    for (const name of [' x ', 'x'.repeat(80)]) {
      const added = await named(name);
      expect([added.status, await added.json()]).toEqual([201, expect.objectContaining({ name: name.trim() })]);
    }
  });

  it('are added once, whoever adds them again', async () => {
    const [operator, other] = [await logIn(api, 'viewer'), await logIn(api, 'viewer')];
    const authenticator = passkey();
    expect((await register(operator, authenticator)).status).toBe(201);
    for (const person of [operator, other])
      expect(await (await register(person, authenticator)).json()).toMatchObject({
        ...{ status: 400, code: 'invalid_request', detail: 'This passkey has been added before' },
      });
    expect(await (await other.call('/passkeys')).json()).toEqual({ data: [] });
  });

  it('are added whatever the browser says of the ways to them, of which those are kept that are some', async () => {
    const operator = await logIn(api, 'viewer');
    for (const transports of ['usb', 5, null, {}, [], [1, ['usb']], ['usb', 'a\0', 'smart-card']]) {
      const added = await register(operator, passkey().with({ transports }));
      expect([transports, added.status]).toEqual([transports, 201]);
    }
    const { rows } = await api.superuser.query<{ transports: string[] }>(
      'select transports from operator_passkey where account_id = $1 order by created_at',
      [operator.id],
    );
    expect(rows.map(({ transports }) => transports)).toEqual([[], [], [], [], [], [], ['usb', 'smart-card']]);
  });

  it('make a login fresh, with a new cookie', async () => {
    const operator = await logIn(api, 'admin');
    const authenticator = passkey();
    await register(operator, authenticator);
    await api.superuser.query(
      `update operator_session set created_at = now() - interval '6 minutes' where account_id = $1`,
      [operator.id],
    );
    expect(await codeOf(await operator.post('/passkeys/options'))).toEqual([403, 'fresh_login_required']);
    const { reply } = await logInWith(authenticator, operator.cookie);
    const cookie = reply.headers
      .getSetCookie()
      .find((one) => one.includes('session='))!
      .split(';')[0]!;
    expect((await operatorCaller(api, cookie)('/passkeys/options', { method: 'POST' })).status).toBe(200);
    // The former session has ended.
    expect(await codeOf(await operator.call('/session'))).toEqual([401, 'login_required']);
  });

  it('are refused for another challenge, another site, and without the browser that asked', async () => {
    const operator = await logIn(api, 'viewer');
    const other = await register(operator, passkey(), (options) => ({ ...options, challenge: 'AAAA' }));
    expect(await codeOf(other)).toEqual([400, 'invalid_request']);
    const elsewhere = await register(operator, passkey('https://evil.example'));
    expect(await codeOf(elsewhere)).toEqual([400, 'invalid_request']);
    const authenticator = passkey();
    await register(operator, authenticator);
    const response = authenticator.get({ challenge: 'AAAA' });
    const alone = await operatorCaller(api, '')('/login/passkey/verify', postOf({ response }));
    expect(await codeOf(alone)).toEqual([401, 'login_failed']);
  });

  it('are refused without a PIN or a finger: who has found a key is not its owner', async () => {
    const operator = await logIn(api, 'viewer');
    const authenticator = passkey();
    authenticator.verifiesUser = false;
    expect(await codeOf(await register(operator, authenticator))).toEqual([400, 'invalid_request']);
    authenticator.verifiesUser = true;
    expect((await register(operator, authenticator)).status).toBe(201);
    authenticator.verifiesUser = false;
    const { options, reply } = await logInWith(authenticator);
    expect(options).toMatchObject({ userVerification: 'required' });
    expect(await codeOf(reply)).toEqual([401, 'login_failed']);
    const made = (await (await operator.post('/passkeys/options')).json()) as object;
    expect(made).toMatchObject({
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      excludeCredentials: [{ id: authenticator.get({ challenge: 'AAAA' }).id }],
    });
  });

  it('answer a challenge once', async () => {
    const authenticator = passkey();
    await register(await logIn(api, 'viewer'), authenticator);
    const { reply, send } = await logInWith(authenticator);
    expect(reply.status).toBe(200);
    expect(await codeOf(await send())).toEqual([401, 'login_failed']);
  });

  it('that were copied are noticed by their count', async () => {
    const authenticator = passkey();
    await register(await logIn(api, 'viewer'), authenticator);
    expect((await logInWith(authenticator)).reply.status).toBe(200);
    authenticator.counter = 0;
    expect(await codeOf((await logInWith(authenticator)).reply)).toEqual([401, 'login_failed']);
  });

  it('that nobody knows, that are removed, or whose account is deactivated do not log in', async () => {
    expect(await codeOf((await logInWith(passkey())).reply)).toEqual([401, 'login_failed']);
    // A text that the database does not take.
    const body = { response: { id: 'a\0' } };
    expect(await codeOf(await operatorCaller(api, '')('/login/passkey/verify', postOf(body)))).toEqual([
      401,
      'login_failed',
    ]);
    const [operator, other] = [await logIn(api, 'viewer'), await logIn(api, 'viewer')];
    const [first, second] = [passkey(), passkey()];
    const { id } = (await (await register(operator, first)).json()) as { id: string };
    expect(await codeOf(await other.call(`/passkeys/${id}`, { method: 'DELETE' }))).toEqual([404, 'not_found']);
    expect((await operator.call(`/passkeys/${id}`, { method: 'DELETE' })).status).toBe(204);
    expect(await codeOf((await logInWith(first)).reply)).toEqual([401, 'login_failed']);
    await register(other, second);
    await api.superuser.query('update operator_account set active = false where id = $1', [other.id]);
    expect(await codeOf((await logInWith(second)).reply)).toEqual([401, 'login_failed']);
  });
});
