import { randomUUID } from 'node:crypto';
import { connect, createServer } from 'node:net';
import { once } from 'node:events';
import type { Client } from 'pg';
import { caller } from '@test/api';
import { type ApiProcess, spawnApi, startApiProcess } from '@test/api-process';
import { saveFakeCustomer } from '@test/factories/customer.factory';
import { saveFakeToken } from '@test/factories/service-token.factory';
import { freePort } from '@test/free-port';
import { startLoad } from '@test/load';
import { connectAsSuperuser, createApiLogin, createTestDatabase, type TestDatabase } from '@test/test-database';
import { until } from '@test/until';

const LIMITS = { RATE_LIMIT_REQUESTS_PER_MINUTE: '1000000', RATE_LIMIT_ADDRESS_PER_MINUTE: '1000000' };
const JSON_TYPE = { 'content-type': 'application/json' };

describe('the API process', () => {
  let database: TestDatabase;
  let superuser: Client;
  let customerId: string;
  let token: string;
  const started: ApiProcess[] = [];

  beforeAll(async () => {
    database = await createTestDatabase();
    superuser = await connectAsSuperuser(database);
    customerId = (await saveFakeCustomer(superuser)).id;
    token = (await saveFakeToken(superuser, customerId)).token;
  });
  afterEach(async () => {
    await Promise.all(started.splice(0).map((api) => api.stop('SIGKILL')));
  });
  afterAll(async () => {
    await superuser.end();
    await database.drop();
  });

  async function start(settings: Record<string, string> = {}): Promise<ApiProcess> {
    const api = await startApiProcess({ ...LIMITS, DATABASE_URL: database.url, ...settings });
    started.push(api);
    return api;
  }

  const count = async (sql: string) =>
    (await superuser.query<{ n: number }>(`select count(*)::int as n from ${sql}`)).rows[0]?.n;

  describe('asked to end', () => {
    /** Locks a table, so that its readers wait. @returns a function that releases the lock */
    async function hold(table: string): Promise<() => Promise<unknown>> {
      await superuser.query('rollback');
      await superuser.query('begin');
      await superuser.query(`lock table ${table} in access exclusive mode`);
      return () => superuser.query('rollback');
    }
    const waiting = () => until(async () => ((await count('pg_locks where not granted')) ?? 0) > 0);

    it('finishes what is in flight, takes nothing new, and ends with code 0 right after', async () => {
      const api = await start();
      const call = caller(api.baseUrl, token);
      await call('/customer');
      const releaseLock = await hold('customer_service');
      const inFlight = call('/services');
      await waiting();
      api.child.kill('SIGTERM');
      await until(() => refused(api));
      await expect(fetch(`${api.origin}/health/live`)).rejects.toThrow('fetch failed');
      expect(api.child.exitCode).toBeNull();
      await releaseLock();
      const releasedAt = performance.now();
      expect((await inFlight).status).toBe(200);
      expect(await api.exited).toEqual({ code: 0, signal: null });
      // It does not wait for idle connections that clients keep open.
      expect(performance.now() - releasedAt).toBeLessThan(3000);
    });

    it.each([
      ['/api/v1/customer', '200 OK', '"organization_number"'],
      ['/health/ready', '503 Service Unavailable', '"status":503'],
    ])('serves whom it has accepted, and closes: %s', async (next, status, answer) => {
      const api = await start();
      const releaseLock = await hold('customer_service');
      const socket = connect(Number(new URL(api.origin).port), '127.0.0.1');
      let text = '';
      socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
      const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`;
      socket.write(request('/api/v1/services'));
      await waiting();
      api.child.kill('SIGTERM');
      await until(() => refused(api));
      socket.write(request(next));
      // Earlier writes have been received when this is answered.
      await (await fetch(api.metricsUrl)).text();
      await releaseLock();
      await once(socket, 'close');
      const [first = '', second = ''] = text.split(/(?<=.)(?=HTTP\/1\.1 )/s);
      expect(first).toMatch(/^HTTP\/1\.1 200 /);
      expect(second).toMatch(new RegExp(`^HTTP/1.1 ${status}\r\n`));
      expect(second).toMatch(/\r\nconnection: close\r\n/i);
      expect(second).toContain(answer);
      expect((await api.exited).code).toBe(0);
    });

    const refused = (api: ApiProcess) =>
      new Promise<boolean>((resolve) => {
        const probe = connect(Number(new URL(api.origin).port), '127.0.0.1');
        probe.on('error', () => resolve(true));
        probe.on('connect', () => {
          probe.destroy();
          resolve(false);
        });
      });

    it('does not wait beyond the grace time for a request that does not end', async () => {
      const api = await start({ SHUTDOWN_GRACE_MS: '500', DATABASE_STATEMENT_TIMEOUT_MS: '2000' });
      const releaseLock = await hold('customer_service');
      const inFlight = caller(
        api.baseUrl,
        token,
      )('/services').then(
        () => 'answered',
        () => 'cut',
      );
      await waiting();
      const startedAt = performance.now();
      api.child.kill('SIGTERM');
      const exit = await api.exited;
      // A statement in progress ends at its time limit of 2 s.
      expect(performance.now() - startedAt).toBeLessThan(8000);
      expect(exit.signal).toBeNull();
      expect(await inFlight).toBe('cut');
      await releaseLock();
    });

    it('under load, breaks nothing off and ends in time', async () => {
      const api = await start();
      const call = caller(api.baseUrl, token);
      const load = startLoad(20, (_client, round) => call(['/customer', '/services', '/status'][round % 3] ?? ''));
      await until(() => (load.tally['200'] ?? 0) > 500);
      const startedAt = performance.now();
      expect(await api.stop()).toEqual({ code: 0, signal: null });
      const took = performance.now() - startedAt;
      const tally = await load.stop();
      console.log(`SIGTERM under load: ended in ${Math.round(took)} ms, ${JSON.stringify(tally)}`);
      expect(Object.keys(tally).filter((outcome) => !['200', 'no reply'].includes(outcome))).toEqual([]);
      expect(took).toBeLessThan(8000);
      expect(api.output().stderr).toBe('');
    });
  });

  describe('killed', () => {
    it('under load, leaves a consistent database and starts again without a hand', async () => {
      let api = await start();
      const acknowledged: string[] = [];
      const load = startLoad(16, async (client, round) => {
        const { baseUrl } = api;
        if (client % 2) return caller(baseUrl, token)('/status');
        const title = `${client}-${round}-${randomUUID()}`;
        const body = JSON.stringify({ title, body: 'x' });
        const reply = await caller(baseUrl, token)('/support/tickets', { method: 'POST', body, headers: JSON_TYPE });
        if (reply.status === 201) acknowledged.push(title);
        return reply;
      });
      for (let kill = 0; kill < 2; kill++) {
        const before = acknowledged.length;
        await until(() => acknowledged.length > before + 50);
        await api.stop('SIGKILL');
        api = await start();
      }
      const before = acknowledged.length;
      await until(() => acknowledged.length > before + 50);
      const tally = await load.stop();
      console.log(`Killed twice under load: ${JSON.stringify(tally)}`);
      expect(Object.keys(tally).sort()).toEqual(['200', '201', 'no reply']);
      const { rows } = await superuser.query<{ title: string }>('select title from support_ticket');
      const stored = new Set(rows.map(({ title }) => title));
      expect(acknowledged.filter((title) => !stored.has(title))).toEqual([]);
      expect(stored.size).toBe(rows.length);
      expect(await count(`audit_log where action = 'ticket.open'`)).toBe(rows.length);
      // Database sessions of the killed processes are gone, with their locks.
      await until(async () => (await count(`pg_stat_activity where state like 'idle in transaction%'`)) === 0);
    }, 240_000);
  });

  describe('that cannot start', () => {
    /** Starts it with these settings. @returns the lines that it wrote, and its exit code */
    async function attempt(settings: Record<string, string>) {
      const { exited, output } = spawnApi({ PORT: '0', INTERNAL_PORT: '0', ...settings });
      const { code } = await exited;
      return { code, lines: output().stderr.trim().split('\n'), stdout: output().stdout };
    }

    it.each(['PORT', 'INTERNAL_PORT'])('says in one line that %s is taken', async (setting) => {
      const port = await freePort();
      const taken = createServer().listen(port, '127.0.0.1');
      await once(taken, 'listening');
      const outcome = await attempt({ DATABASE_URL: await createApiLogin(database), [setting]: String(port) });
      taken.close();
      expect(outcome).toEqual({ code: 1, lines: [expect.stringMatching(`^Port ${port} is taken: `)], stdout: '' });
    });

    it('says in one line that the database does not answer', async () => {
      const { code, lines, stdout } = await attempt({ DATABASE_URL: `postgres://a:b@127.0.0.1:${await freePort()}/c` });
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(lines).toEqual([
        expect.stringMatching(/^The database does not answer at 127\.0\.0\.1:\d+ \(DATABASE_URL\)$/),
      ]);
    });

    it('says in one line that the database is not migrated', async () => {
      const url = database.url.replace(/\/[^/]+$/, '/postgres');
      expect(await attempt({ DATABASE_URL: url })).toMatchObject({
        code: 1,
        lines: [expect.stringMatching(/not migrated/)],
      });
    });

    const KEY = Buffer.from(Array.from({ length: 32 }, (_, index) => index * 7)).toString('base64');
    const production = () => ({ NODE_ENV: 'production', DATABASE_URL: database.url, SECRETS_KEY: KEY });

    it.each<[string, Record<string, string>, RegExp]>([
      ['the sandbox', { SANDBOX_URL: 'http://127.0.0.1:1' }, /^SANDBOX_URL: .*refused when NODE_ENV=production$/],
      ['a short key', { SECRETS_KEY: 'c2VjcmV0' }, /^SECRETS_KEY: must be 32 random bytes/],
    ])('in production says in one line that it refuses %s', async (_name, settings, line) => {
      const outcome = await attempt({ ...production(), ...settings });
      expect(outcome).toEqual({ code: 1, lines: [expect.stringMatching(line)], stdout: '' });
      for (const value of Object.values(settings).filter((text) => text.length > 4)) {
        expect(outcome.lines.join('\n')).not.toContain(value);
      }
    });

    it('in production starts with all that it needs', async () => {
      const api = await start({ ...production(), DATABASE_URL: await createApiLogin(database) });
      expect((await fetch(`${api.origin}/health/ready`)).status).toBe(200);
    });

    it('in production refuses a superuser as its login', async () => {
      expect(await attempt(production())).toEqual({
        code: 1,
        lines: [expect.stringMatching(/^The database login postgres .* may do more than row level security allows: /)],
        stdout: '',
      });
    });
  });
});
