import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { startSandbox } from '../../apps/sandbox/src/sandbox';
import { setDatabaseClock } from '@test/database-clock';
import { enableAi, saveModelPrice } from '@test/ai-factories';
import { saveFakeCustomer } from '@test/factories/customer.factory';
import { saveFakeDelivery } from '@test/factories/webhook.factory';
import { freePort } from '@test/free-port';
import { operatorCommand } from '@test/operator-command';
import { type RawServer, rawReply, startRawServer } from '@test/raw-server';
import { selfSigned } from '@test/self-signed';
import { useTestDatabase } from '@test/use-test-database';

const database = useTestDatabase();
const KEY = 'sk-of-the-operator';
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The statement by which stack.sh notes whether there is a schedule. */
function noteOfSchedule(there: boolean): string {
  const parts = ['common', 'backup'].map((part) => `. apps/operator/stack/${part}.sh`).join('; ');
  const script = `docker() { :; }; ${parts}; in_postgres() { printf %s "\${@: -1}"; }; note_schedule ${there}`;
  return spawnSync('bash', ['-euc', script], { stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8' }).stdout;
}

describe('operator doctor', () => {
  let server: RawServer;
  beforeAll(async () => (server = await startRawServer()));
  afterAll(() => server.close());

  async function examine(settings: Record<string, string>) {
    const environment = { SECRETS_KEY: randomBytes(32).toString('base64'), ...settings };
    const { code, stdout } = await operatorCommand(database, ['doctor', '--json'], { environment });
    expect(stdout).not.toContain(KEY);
    const findings = JSON.parse(stdout) as { check: string; result: string; detail: string }[];
    const checks = findings.map(({ check }) => check);
    return { code, checks, of: (check: string) => findings.find((finding) => finding.check === check) };
  }

  it('finds that the credentials are taken, with requests that only read', async () => {
    server.answer((socket) => socket.write(rawReply(200, '{}')));
    const everything = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: server.url, STRIPE_SECRET_KEY: KEY };
    const more = { STRIPE_URL: server.url, FIKEN_TOKEN: KEY, FIKEN_URL: server.url, FIKEN_COMPANY: 'demo' };
    const sms = { ELKS_URL: server.url, ELKS_USERNAME: 'u', ELKS_PASSWORD: KEY };
    const { code, checks, of } = await examine({ ...everything, ...more, ...sms });
    const others = ['rate limits', 'memory', 'disk', 'backup', 'archive', 'certificate'];
    const own = ['database', 'clock', 'erasures'];
    expect(checks).toEqual([...own, 'AI provider', 'SMS gateway', 'Stripe', 'Fiken', ...others]);
    for (const check of [...own, 'AI provider', 'SMS gateway', 'Stripe', 'Fiken'])
      expect(of(check)).toMatchObject({ check, result: 'ok' });
    expect(of('rate limits')).toMatchObject({ result: 'off' });
    expect(code).toBe(0);
    expect(server.requests.map((request) => request.split(' ').slice(0, 2).join(' ')).sort()).toEqual([
      'GET /companies/demo',
      'GET /v1/invoices?limit=1',
      'GET /v1/models?limit=1',
    ]);
  });

  it("finds a clock that differs from the database's", async () => {
    await setDatabaseClock(database.superuser, { aheadBy: '1 minute' });
    try {
      const { code, of } = await examine({});
      expect(code).toBe(1);
      expect(of('clock')).toMatchObject({
        result: 'failed',
        detail: expect.stringMatching(/^The clock of this process is (60|59)\.\d s behind the database's: synchronise/),
      });
    } finally {
      await setDatabaseClock(database.superuser, 'right');
    }
  });

  it('finds credentials that are refused, systems that are not there, and a key that is missing', async () => {
    server.answer((socket) => socket.write(rawReply(401, `{"error":"${KEY} is wrong"}`)));
    const nobody = `127.0.0.1:${await freePort()}`;
    const { code, of } = await examine({
      ...{ ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: server.url, REDIS_URL: `redis://${nobody}` },
      ...{ STRIPE_SECRET_KEY: KEY, STRIPE_URL: `http://${nobody}` },
    });
    expect(code).toBe(1);
    const detail = `${new URL(server.url).host} answers 401: it refuses the credentials`;
    expect(of('AI provider')).toMatchObject({ result: 'failed', detail });
    const unreachable = { result: 'failed', detail: `${nobody} cannot be reached (ECONNREFUSED)` };
    expect(of('Stripe')).toMatchObject(unreachable);
    expect(of('rate limits')).toMatchObject(unreachable);
  });

  it('finds customers that a former release erased, which does not know all tables, until they are erased again', async () => {
    const { id, customerNumber } = await saveFakeCustomer(database.superuser, { active: false });
    await saveFakeDelivery(database.superuser, id);
    await database.superuser.query('update customer set erased_at = now() where id = $1', [id]);
    const { code, of } = await examine({});
    const detail = `erased in part: ${customerNumber}; for each: operator customer erase --customer NUMBER`;
    expect([code, of('erasures')]).toMatchObject([1, { result: 'failed', detail }]);
    await operatorCommand(database, ['customer', 'erase', '--customer', customerNumber, '--yes']);
    expect((await examine({})).of('erasures')).toMatchObject({ result: 'ok' });
  });

  it.each([
    [403, ': it refuses the credentials'],
    [302, ''],
    [404, ''],
    [500, ''],
  ])('says what a system answers that does not take the credentials: %d', async (status, why) => {
    server.requests.length = 0;
    server.answer((socket) => socket.write(rawReply(status, '', { location: '/elsewhere' })));
    const { of } = await examine({ ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: server.url });
    const detail = `${new URL(server.url).host} answers ${status}${why}`;
    expect(of('AI provider')).toMatchObject({ result: 'failed', detail });
    expect(server.requests).toHaveLength(1);
  });

  it('finds a store of counts that takes connections', async () => {
    const { of } = await examine({ REDIS_URL: `redis://127.0.0.1:${server.port}` });
    expect(of('rate limits')).toMatchObject({ result: 'ok', detail: `127.0.0.1:${server.port} takes connections` });
    const byIpv6 = await examine({ REDIS_URL: `valkey://[::1]:${await freePort()}` });
    expect(byIpv6.of('rate limits')?.detail).toMatch(
      /^\[::1\]:\d+ cannot be reached \((ECONNREFUSED|EADDRNOTAVAIL)\)$/,
    );
  });

  it('has nothing to say against the stand-ins of the upstreams, but that they refuse credentials', async () => {
    const { urls, close, fiken } = await startSandbox();
    fiken.store.company('demo');
    const settings = (key: string) => ({
      ...{ ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: urls.messages, STRIPE_SECRET_KEY: key, STRIPE_URL: urls.stripe },
      ...{ FIKEN_TOKEN: key, FIKEN_URL: urls.fiken, FIKEN_COMPANY: 'demo' },
      ...{ ELKS_URL: urls.elks46, ELKS_USERNAME: 'u', ELKS_PASSWORD: key },
    });
    const { code, of } = await examine(settings(KEY));
    for (const check of ['AI provider', 'SMS gateway', 'Stripe', 'Fiken'])
      expect(of(check)).toMatchObject({ check, result: 'ok' });
    expect(code).toBe(0);
    const refused = await examine(settings('sandbox-invalid'));
    for (const check of ['AI provider', 'Stripe', 'Fiken'])
      expect(refused.of(check)).toMatchObject({ result: 'failed', detail: expect.stringContaining('refuses') });
    await close();
  });

  it('says how many customers cannot use AI without a key', async () => {
    expect((await examine({})).of('AI provider')).toMatchObject({ result: 'warning' });
    const { id } = await saveFakeCustomer(database.superuser);
    await enableAi(database.superuser, id, { model: await saveModelPrice(database.superuser) });
    const { code, of } = await examine({});
    expect(code).toBe(1);
    expect(of('AI provider')).toMatchObject({
      result: 'failed',
      detail: 'ANTHROPIC_API_KEY is missing: AI messages of 1 customers without a key of their own fail',
    });
  });

  it('says what AI messages, SMS and invoices are sent to, by the rules of those who send them', async () => {
    const sandbox = { SANDBOX_URL: server.url };
    server.requests.length = 0;
    const { code, of } = await examine(sandbox);
    const details = ['AI provider', 'SMS gateway', 'Stripe', 'Fiken'].map((check) => [
      of(check)?.result,
      of(check)?.detail,
    ]);
    expect(details).toEqual([
      ['off', 'the sandbox answers AI messages'],
      ['off', 'the sandbox takes SMS'],
      ['off', 'the sandbox has its invoices'],
      ['off', 'the sandbox has its invoices'],
    ]);
    expect(code).toBe(0);
    const own = await examine({ ...sandbox, ANTHROPIC_BASE_URL: server.url });
    expect(own.of('AI provider')).toMatchObject({
      result: 'failed',
      detail: expect.stringContaining('ANTHROPIC_API_KEY is missing'),
    });
    expect(server.requests).toEqual([]);
  });

  it.each([
    ['46elks', { ELKS_USERNAME: 'u' }, 'ELKS_URL'],
    ['46elks', { ELKS_PASSWORD: KEY }, 'ELKS_URL'],
    ['link-mobility', { LINK_USERNAME: 'u' }, 'LINK_URL'],
  ])('does not look for %s with %j alone, which sends nothing', async (gateway, half, address) => {
    // Nobody is there: a gateway that is looked for is found missing.
    const settings = { ...half, SMS_GATEWAY: gateway, [address]: `http://127.0.0.1:${await freePort()}` };
    const { of } = await examine(settings);
    expect(of('SMS gateway')).toMatchObject({ result: 'off', detail: `${gateway} has no credentials` });
    const inSandbox = await examine({ ...settings, SANDBOX_URL: server.url });
    expect(inSandbox.of('SMS gateway')).toMatchObject({ result: 'off', detail: 'the sandbox takes SMS' });
  });

  it('asks Stripe where invoices are read, and says that Fiken needs a company', async () => {
    server.answer((socket) => socket.write(rawReply(200, '{}')));
    server.requests.length = 0;
    const { code, of } = await examine({
      ...{ STRIPE_SECRET_KEY: KEY, STRIPE_URL: `${server.url}/path` },
      ...{ FIKEN_TOKEN: KEY, FIKEN_URL: server.url },
    });
    expect(of('Stripe')).toMatchObject({ result: 'ok' });
    expect(of('Fiken')).toMatchObject({
      result: 'failed',
      detail: expect.stringContaining('FIKEN_COMPANY is missing'),
    });
    expect(server.requests.map((request) => request.split(' ')[1])).toEqual(['/v1/invoices?limit=1']);
    expect(code).toBe(1);
  });

  it('says how old the newest backup is, and that none was made', async () => {
    const noted = (age: string) =>
      database.superuser.query(
        `insert into backup (kind, bytes, free_bytes, completed_at) values ('dump', 3e9, 1e12, now() - $1::interval)`,
        [age],
      );
    expect((await examine({})).of('backup')).toMatchObject({
      result: 'warning',
      detail: expect.stringContaining('schedule'),
    });
    await noted('37 hours');
    expect((await examine({})).of('backup')).toMatchObject({ result: 'warning', detail: '2.8 GB, 37 hours ago' });
    await database.superuser.query(noteOfSchedule(true));
    await noted('1 hour');
    const detail = '2.8 GB, 1 hours ago; the scheduled one, 37 hours ago';
    expect((await examine({})).of('backup')).toMatchObject({ result: 'warning', detail });
    await database.superuser.query(noteOfSchedule(false));
    expect((await examine({})).of('backup')).toMatchObject({ result: 'ok', detail: '2.8 GB, 1 hours ago' });
    expect((await examine({})).of('archive')).toMatchObject({ result: 'off' });
  });

  it('finds an archive that receives nothing, and no certificate where none is shown', async () => {
    await database.superuser.query(`select pg_create_physical_replication_slot('archive', true)`);
    try {
      const { code, of } = await examine({ PUBLIC_URL: `https://127.0.0.1:${await freePort()}` });
      expect(of('archive')).toMatchObject({ result: 'failed', detail: expect.stringContaining('it receives nothing') });
      expect(of('certificate')).toMatchObject({ result: 'failed', detail: expect.stringContaining('ECONNREFUSED') });
      expect(code).toBe(1);
    } finally {
      await database.superuser.query(`select pg_drop_replication_slot('archive')`);
    }
    expect((await examine({})).of('certificate')).toMatchObject({ result: 'off' });
  });

  it.each([
    ['ok', 14 * DAY_MS + HOUR_MS, 'it ends in 14 days'],
    ['warning', 14 * DAY_MS - HOUR_MS, 'it ends in 13 days'],
    ['warning', HOUR_MS, 'it ends in 0 days'],
    ['failed', -HOUR_MS, 'it ended 1 days ago'],
  ])('says how long the certificate lasts: %s with %d ms', async (result, lastsMs, detail) => {
    const shown = await startRawServer(selfSigned('127.0.0.1', lastsMs));
    expect((await examine({ PUBLIC_URL: shown.url })).of('certificate')).toMatchObject({ result, detail });
    await shown.close();
  });
});
