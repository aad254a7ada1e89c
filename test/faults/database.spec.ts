import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { Client } from 'pg';
import { migrateSchema } from '@schema';
import { loadConfig } from '@platform/config';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@platform/database';
import { caller } from '@test/api';
import { type ApiProcess, spawnApi, startApiProcess } from '@test/api-process';
import { saveFakeCustomer } from '@test/factories/customer.factory';
import { saveFakeToken } from '@test/factories/service-token.factory';
import { freePort } from '@test/free-port';
import { startLoad } from '@test/load';
import { makeScratchFolder } from '@test/scratch-folder';
import { startTcpProxy, type TcpProxy } from '@test/tcp-proxy';
import { until } from '@test/until';

const SETTINGS = {
  RATE_LIMIT_REQUESTS_PER_MINUTE: '1000000',
  RATE_LIMIT_ADDRESS_PER_MINUTE: '1000000',
  DATABASE_STATEMENT_TIMEOUT_MS: '2500',
};
const JSON_TYPE = { 'content-type': 'application/json' };

describe('a PostgreSQL that goes away', () => {
  let folder: string;
  let port: number;
  let server: EmbeddedPostgres;
  let proxy: TcpProxy;
  let api: ApiProcess;
  let token: string;
  const password = randomBytes(12).toString('hex');

  const startServer = () => startEmbeddedPostgres({ folder, port, password, settings: { fsync: 'off' } });
  async function asSuperuser<Result>(work: (client: Client) => Promise<Result>): Promise<Result> {
    const client = new Client({ connectionString: server.url });
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  }

  beforeAll(async () => {
    folder = await makeScratchFolder('test');
    port = await freePort();
    server = await startServer();
    await migrateSchema(loadConfig({ DATABASE_URL: server.url }));
    await asSuperuser(async (client) => {
      const { id } = await saveFakeCustomer(client);
      token = (await saveFakeToken(client, id)).token;
    });
    proxy = await startTcpProxy(port);
    api = await startApiProcess({ ...SETTINGS, DATABASE_URL: server.url.replace(`:${port}/`, `:${proxy.port}/`) });
  });
  afterAll(async () => {
    await api.stop('SIGKILL');
    await proxy.close();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** PostgreSQL's immediate shutdown: no checkpoint, the next start recovers. */
  async function crash(): Promise<void> {
    const { rows } = await asSuperuser((client) =>
      client.query<{ pid: string }>(`select split_part(pg_read_file('postmaster.pid'), e'\\n', 1) as pid`),
    );
    process.kill(Number(rows[0]?.pid), 'SIGQUIT');
    await server.exited;
  }

  const call = (path: string, init?: RequestInit) => caller(api.baseUrl, token)(path, init);
  const read = () => call('/customer');
  const write = () =>
    call('/support/tickets', { method: 'POST', body: '{"title":"a","body":"b"}', headers: JSON_TYPE });
  const both = (_client: number, round: number) => (round % 3 === 0 ? write() : read());
  const works = async () => (await read()).status === 200 && (await write()).status === 201;
  const ready = async () => (await fetch(`${api.origin}/health/ready`)).status;

  /** The process is still the same, and no error escaped its error handling. */
  function expectUnchanged(): void {
    expect(api.child.exitCode).toBeNull();
    expect(api.output().stderr).toBe('');
    expect(
      api
        .output()
        .stdout.split('\n')
        .filter((line) => /unhandled|uncaught|internal_error/i.test(line)),
    ).toEqual([]);
  }

  it.each(['fast shutdown', 'crash'])(
    'and comes back under load costs 503s meanwhile and nothing more: %s',
    async (manner) => {
      await until(works);
      const load = startLoad(16, both);
      await until(() => (load.tally['200'] ?? 0) > 100 && (load.tally['201'] ?? 0) > 20);
      if (manner === 'crash') await crash();
      else await server.stop();
      await until(() => (load.tally['503 service_unavailable'] ?? 0) > 100);
      // It checks once a second at most.
      await until(async () => (await ready()) === 503);
      expect((await fetch(`${api.origin}/health/live`)).status).toBe(200);
      const stoppedAt = performance.now();
      server = await startServer();
      const back = performance.now();
      const before = { read: load.tally['200'] ?? 0, written: load.tally['201'] ?? 0 };
      await until(() => (load.tally['200'] ?? 0) > before.read + 100 && (load.tally['201'] ?? 0) > before.written + 20);
      const recovered = performance.now();
      await until(async () => (await ready()) === 200);
      const tally = await load.stop();
      console.log(
        `${manner}: PostgreSQL back after ${Math.round(back - stoppedAt)} ms, 120 successes ${Math.round(recovered - back)} ms later; ${JSON.stringify(tally)}`,
      );
      expectUnchanged();
      expect(Object.keys(tally).sort()).toEqual(['200', '201', '503 service_unavailable']);
      expect(await works()).toBe(true);
      expectUnchanged();
    },
  );

  it('answers 503 with Retry-After', async () => {
    proxy.down();
    const reply = await read();
    expect([reply.status, reply.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await reply.json()).toMatchObject({ code: 'service_unavailable', detail: 'Try again in a moment' });
    await until(async () => (await ready()) === 503);
    expect((await fetch(`${api.origin}/health/ready`)).headers.get('content-type')).toMatch(/problem\+json/);
    proxy.up();
    await until(works);
  });

  it('without a word, behind connections that stay open, costs a time limit and then works again', async () => {
    await until(works);
    // Opens connections of both kinds, then drops all packets: as if a machine vanished or a firewall lost its state.
    await Promise.all(Array.from({ length: 8 }, write));
    proxy.stall();
    const startedAt = performance.now();
    const statuses = await Promise.all([read(), write(), read(), write()].map(async (reply) => (await reply).status));
    expect(new Set(statuses)).toEqual(new Set([503]));
    expect(performance.now() - startedAt).toBeLessThan(12_000);
    // New connections work. Pooled ones are found dead, and not used twice.
    await until(works, 50);
    console.log(
      `After a silent loss of all connections: working again after ${Math.round(performance.now() - startedAt)} ms`,
    );
    expect(performance.now() - startedAt).toBeLessThan(25_000);
    for (let time = 0; time < 20; time++) expect(await works()).toBe(true);
    expectUnchanged();
    proxy.closeStalled();
  });

  it('does not let the API start while it is not there, and says so', async () => {
    const { exited, output } = spawnApi({
      PORT: '0',
      INTERNAL_PORT: '0',
      DATABASE_URL: `postgres://a:b@127.0.0.1:${await freePort()}/c`,
    });
    expect((await exited).code).toBe(1);
    expect(output().stderr).toMatch(/^The database does not answer at .*\n$/);
  });

  it('with a role of ours that row level security does not hold is refused', async () => {
    await asSuperuser((client) => client.query('alter role customer_api bypassrls'));
    const { exited, output } = spawnApi({ PORT: '0', INTERNAL_PORT: '0', DATABASE_URL: server.url });
    expect((await exited).code).toBe(1);
    expect(output().stderr).toMatch(/customer_api is not held to row level security/);
    await asSuperuser((client) => client.query('alter role customer_api nobypassrls'));
  });
});
