import { OperatorAccountsService } from '@platform/operator-accounts';
import { startIdentityProvider, type TestIdentityProvider } from '@test/identity-provider';
import { holdLock, waitForLocks } from '@test/locks';
import { operatorCaller, postOf, startOperatorApi, type TestOperatorApi, USER_AGENT } from '@test/operator-api';

/** A browser: it keeps cookies, and follows redirects by itself only if it is told to. */
class Browser {
  private readonly cookies = new Map<string, string>();

  async open(url: string, init: RequestInit = {}): Promise<Response> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const reply = await fetch(url, {
      redirect: 'manual',
      ...init,
      headers: { cookie, 'user-agent': USER_AGENT, ...(init.headers as Record<string, string> | undefined) },
    });
    for (const line of reply.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '' || /max-age=0|expires=thu, 01 jan 1970/i.test(line)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return reply;
  }

  /** The address that redirects lead to: that of a page, or the first one below `until`. */
  async follow(url: string, until: string): Promise<string> {
    for (let at = url; ;) {
      if (at.startsWith(until)) return at;
      const to = (await this.open(at)).headers.get('location');
      if (to === null) return at;
      at = new URL(to, at).href;
    }
  }

  session(): string {
    return `__Host-operator_session=${this.cookies.get('__Host-operator_session') ?? ''}`;
  }
}

describe('login with an identity provider', () => {
  let api: TestOperatorApi;
  let provider: TestIdentityProvider;
  beforeAll(async () => {
    provider = await startIdentityProvider();
    api = await startOperatorApi(provider.settings);
  }, 240_000);
  afterAll(async () => {
    provider.stop();
    await api.stop();
  });

  /** Logs in at the provider. @returns the address of ours that it sends the browser to */
  async function authenticate(browser: Browser, name: string, start = '/login/oidc'): Promise<string> {
    const callback = `${api.baseUrl}/login/oidc/callback`;
    let at = await browser.follow(`${api.baseUrl}${start}`, callback);
    const forms: Record<string, string>[] = [{ prompt: 'login', login: name, password: 'any' }, { prompt: 'consent' }];
    for (const form of forms) {
      if (at.startsWith(callback)) break;
      const sent = await browser.open(at, {
        method: 'POST',
        body: new URLSearchParams(form).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      });
      at = await browser.follow(new URL(sent.headers.get('location')!, at).href, callback);
    }
    return at;
  }
  const logInAs = async (name: string) => {
    const browser = new Browser();
    const reply = await browser.open(await authenticate(browser, name));
    return { browser, reply, to: reply.headers.get('location') };
  };
  const sessionOf = async (browser: Browser) => {
    const reply = await operatorCaller(api, browser.session())('/session');
    return reply.status === 200 ? ((await reply.json()) as { account: object; login_methods: object }) : reply.status;
  };
  const errorIn = (to: string | null) => new URLSearchParams(to?.split('?')[1]).get('error');

  it('begins a session with the role of the claim', async () => {
    const { browser, reply, to } = await logInAs('kari');
    expect([reply.status, to]).toEqual([303, '/']);
    expect(await sessionOf(browser)).toMatchObject({
      account: { name: 'kari', email: 'kari.nordmann@example.com', role: 'billing' },
      login_methods: { passkey: false, oidc: { label: 'Fjord ID' } },
    });
  });

  it('makes one account of a person who comes for the first time in two windows at once', async () => {
    const accounts = api.app.get(OperatorAccountsService);
    const identity = {
      issuer: 'https://id.example',
      subject: 'twice',
      email: 'twice@example.com',
      name: 'twice',
      role: 'viewer',
    } as const;
    // Both look for it before one of them makes it.
    const release = await holdLock(api.database, 'lock table operator_account in share mode');
    const made = [accounts.ofIdentity(identity), accounts.ofIdentity(identity)];
    await waitForLocks(api.superuser, 2);
    await release();
    const [one, other] = await Promise.all(made);
    expect(other?.id).toBe(one?.id);
  });

  it('gives an account to nobody else who has its address by now, and keeps it for a person with another address', async () => {
    const accounts = api.app.get(OperatorAccountsService);
    const of = (subject: string, email: string) =>
      accounts.ofIdentity({ issuer: 'https://id.example', subject, email, name: subject, role: 'viewer' });
    const { id } = await of('first-owner', 'desk@example.com');
    expect((await of('first-owner', 'married@example.com')).id).toBe(id);
    await expect(of('second-owner', 'DESK@example.com')).rejects.toMatchObject({
      ...{ code: 'login_failed', detail: 'Another person has an account with your e-mail address' },
    });
    // One that was invited becomes that of the first who comes with its address.
    const invited = await accounts.invite('operator:test', { email: 'invited@example.com', role: 'admin' });
    expect(await of('third', 'Invited@example.com')).toMatchObject({ id: invited.id, role: 'viewer' });
    await expect(of('fourth', 'invited@example.com')).rejects.toMatchObject({ code: 'login_failed' });
  });

  it('gives people their accounts by their addresses after a change of provider, and nobody that of another with the same subject', async () => {
    const accounts = api.app.get(OperatorAccountsService);
    const at = (issuer: string, subject: string, email: string) =>
      accounts.ofIdentity({ issuer, subject, email, name: email, role: 'billing' });
    const anna = await at('https://former.example', '1001', 'anna@example.com');
    const bjorn = await at('https://former.example', '1002', 'bjorn@example.com');
    expect((await at('https://next.example', '1001', 'bjorn@example.com')).id).toBe(bjorn.id);
    expect((await at('https://next.example', '1002', 'anna@example.com')).id).toBe(anna.id);
    expect((await at('https://next.example', '1002', 'married-anna@example.com')).id).toBe(anna.id);
    await expect(at('https://next.example', '1003', 'anna@example.com')).rejects.toMatchObject({
      detail: 'Another person has an account with your e-mail address',
    });
    // An account that a release without issuers has connected is that of the provider of today.
    await api.superuser.query(`update operator_account set oidc_issuer = null where id = $1`, [anna.id]);
    await expect(at('https://next.example', '1003', 'anna@example.com')).rejects.toMatchObject({
      code: 'login_failed',
    });
    expect((await at('https://next.example', '1002', 'married-anna@example.com')).id).toBe(anna.id);
    const { rows: linked } = await api.superuser.query<object>(
      `select metadata from audit_log where metadata->>'account_id' = $1 order by id limit 2`,
      [anna.id],
    );
    expect(linked).toMatchObject([
      { metadata: { issuer: 'https://former.example', subject: '1001' } },
      { metadata: { account_id: anna.id, role: 'billing', issuer: 'https://next.example', subject: '1002' } },
    ]);
  });

  it('gives each person a name that the audit log takes and nobody else has, whatever the provider calls them', async () => {
    const accounts = api.app.get(OperatorAccountsService);
    const long = `per@${'a-long-name-of-a-company.'.repeat(3)}example.com`;
    const nameOf = async (email: string, name: string) =>
      (await accounts.ofIdentity({ issuer: 'https://id.example', subject: email, email, name, role: 'viewer' })).name;
    expect(await nameOf('ase@example.com', '\u00c5se')).toBe('\u00c5se');
    // The same letters in another form, or with a blank, are the same name.
    expect(await nameOf('ase.2@example.com', 'A\u030ase')).toBe('ase.2@example.com');
    expect(await nameOf('ase.3@example.com', '\u00c5se ')).toBe('ase.3@example.com');
    expect(await nameOf('o#hara=x@example.com', "O'Hara (IT)")).toBe('o_hara_x');
    expect(await nameOf('o#hara=x@example.org', 'o_hara_x')).toBe('o_hara_x@example.org');
    expect(await nameOf('#@example.com', '/')).toBe('person');
    expect(await nameOf('per@example.com', 'per')).toBe('per');
    expect(await nameOf(long, 'per')).toBe(long.slice(0, 64));
    expect(await nameOf(`${long}.no`, 'per')).toBe('per 2');
    expect(await nameOf(`${long}.se`, 'per')).toBe('per 3');
  });

  it('takes the strongest of several roles', async () => {
    const { browser } = await logInAs('ola');
    expect(await sessionOf(browser)).toMatchObject({ account: { name: 'ola', role: 'admin' } });
  });

  it.each([
    ['guest', 'gives you no role'],
    ['forger', 'no verified e-mail address'],
  ])('refuses %s, on the login page', async (name, why) => {
    const { browser, to } = await logInAs(name);
    expect(to).toMatch(/^\/#\/login\?error=/);
    expect(errorIn(to)).toContain(why);
    expect(await sessionOf(browser)).toBe(401);
  });

  it('refuses an account that is deactivated', async () => {
    await logInAs('kari');
    await api.superuser.query(`update operator_account set active = false where name = 'kari'`);
    const { browser, to } = await logInAs('kari');
    expect(errorIn(to)).toContain('deactivated');
    expect(await sessionOf(browser)).toBe(401);
    await api.superuser.query(`update operator_account set active = true where name = 'kari'`);
  });

  it('gives an account the role of the claim at each login, and ends the sessions of none', async () => {
    await logInAs('kari');
    await api.superuser.query(`update operator_account set role = 'admin' where name = 'kari'`);
    const { browser } = await logInAs('kari');
    expect(await sessionOf(browser)).toMatchObject({ account: { role: 'billing' } });
  });

  it('takes an answer once, from the browser that asked, with what it asked for', async () => {
    const browser = new Browser();
    const answer = await authenticate(browser, 'kari');
    const other = await new Browser().open(answer);
    expect(errorIn(other.headers.get('location'))).toContain('took too long');
    const forged = new URL(answer);
    forged.searchParams.set('state', 'another');
    expect(errorIn((await browser.open(forged.href)).headers.get('location'))).toContain('did not confirm');
    // The first answer has ended the attempt, whatever it was.
    expect(errorIn((await browser.open(answer)).headers.get('location'))).toContain('took too long');
    expect(await sessionOf(browser)).toBe(401);
  });

  it('asks the person again for a fresh login', async () => {
    const { browser } = await logInAs('kari');
    await api.superuser.query(`update operator_session set created_at = now() - interval '6 minutes'`);
    const first = await browser.open(`${api.baseUrl}/login/oidc?fresh=1`);
    expect(Object.fromEntries(new URL(first.headers.get('location')!).searchParams)).toMatchObject({
      ...{ prompt: 'login', max_age: '0', code_challenge_method: 'S256', response_type: 'code' },
    });
    const reply = await browser.open(await authenticate(browser, 'kari', '/login/oidc?fresh=a-form'));
    // The page that tells the one with the form, in another window.
    expect(reply.headers.get('location')).toBe('/#/login/done?form=a-form');
    const session = (await sessionOf(browser)) as unknown as { fresh_until: string };
    expect(Date.parse(session.fresh_until)).toBeGreaterThan(Date.now());
  });

  it('says why a login for a form failed in the window of that login', async () => {
    const browser = new Browser();
    const { headers } = await browser.open(await authenticate(browser, 'guest', '/login/oidc?fresh=1'));
    expect(headers.get('location')).toMatch(/^\/#\/login\/done\?error=/);
    expect(errorIn(headers.get('location'))).toContain('gives you no role');
  });

  it('is fresh only if the provider asked the person, and did not know them from before', async () => {
    const isFresh = async (name: string) => {
      const { browser } = await logInAs(name);
      const call = operatorCaller(api, browser.session());
      const reply = await call('/invoices', postOf({}));
      const { fresh_until: until } = (await (await call('/session')).json()) as { fresh_until: string };
      const { code } = (await reply.json()) as { code: string };
      expect(code).toMatch(/^(fresh_login_required|invalid_request)$/);
      return [code !== 'fresh_login_required', Date.parse(until) > Date.now()];
    };
    expect(await isFresh('kari')).toEqual([true, true]);
    expect(await isFresh('early')).toEqual([false, false]);
  });

  it('says that the provider has another issuer than the configured one, be it by a slash', async () => {
    const { OPERATOR_OIDC_ISSUER: issuer = '', ...settings } = provider.settings;
    const other = await startOperatorApi({
      ...settings,
      OPERATOR_PORT: '0',
      OPERATOR_OIDC_ISSUER: issuer.slice(0, -1),
    });
    const reply = await fetch(`${other.baseUrl}/login/oidc`, { redirect: 'manual' });
    const { detail } = (await reply.json()) as { detail: string };
    await other.stop();
    expect([reply.status, detail]).toEqual([
      ...[503, 'The identity provider has another issuer than OPERATOR_OIDC_ISSUER, to the last slash'],
    ]);
  });

  it('leaves no other way but links', async () => {
    const reply = await operatorCaller(api, '')('/login/passkey/options', { method: 'POST' });
    expect([reply.status, ((await reply.json()) as { detail: string }).detail]).toEqual([
      ...[401, 'There are no passkeys here: log in with Fjord ID'],
    ]);
  });
});
