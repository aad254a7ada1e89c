import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import { migrateSchema } from '@schema';
import { loadConfig } from '@platform/config';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@platform/database';
import { caller } from '@test/api';
import { type ApiProcess, startApiProcess } from '@test/api-process';
import { saveFakeCustomer } from '@test/factories/customer.factory';
import { saveFakeToken } from '@test/factories/service-token.factory';
import { freePort } from '@test/free-port';
import { startLoad } from '@test/load';
import { makeScratchFolder } from '@test/scratch-folder';
import { until } from '@test/until';

const STOPPED_MS = Number(process.env.ACCEPT_STOPPED_MS ?? 10_000);
const JSON_TYPE = { 'content-type': 'application/json' };
const SETTINGS = {
  RATE_LIMIT_REQUESTS_PER_MINUTE: '1000000',
  RATE_LIMIT_ADDRESS_PER_MINUTE: '1000000',
  DATABASE_STATEMENT_TIMEOUT_MS: '2500',
  // Writes need new connections while the server does not answer.
  DATABASE_POOL_SIZE: '20',
};

/** The server's processes, from /proc: the first one and its children. */
function processesOf(pid: number): number[] {
  const parent = (id: string) => {
    try {
      return Number(
        readFileSync(`/proc/${id}/stat`, 'utf8')
          .replace(/^.*\) /, '')
          .split(' ')[1],
      );
    } catch {
      return 0; // gone meanwhile
    }
  };
  const children = readdirSync('/proc').filter((id) => /^\d+$/.test(id) && parent(id) === pid);
  return [pid, ...children.map(Number)];
}

/** The kernel accepts connections on its port, but the server never answers. */
describe('a PostgreSQL whose processes are all stopped', () => {
  let folder: string;
  let server: EmbeddedPostgres;
  let superuser: Client;
  let postmaster: number;
  let api: ApiProcess;
  let token: string;

  beforeAll(async () => {
    folder = await makeScratchFolder('test');
    const password = randomBytes(12).toString('hex');
    server = await startEmbeddedPostgres({ folder, port: await freePort(), password, settings: { fsync: 'off' } });
    await migrateSchema(loadConfig({ DATABASE_URL: server.url }));
    superuser = new Client({ connectionString: server.url });
    await superuser.connect();
    token = (await saveFakeToken(superuser, (await saveFakeCustomer(superuser)).id)).token;
    const { rows } = await superuser.query<{ pid: string }>(
      `select split_part(pg_read_file('postmaster.pid'), e'\\n', 1) as pid`,
    );
    postmaster = Number(rows[0]?.pid);
    api = await startApiProcess({ ...SETTINGS, DATABASE_URL: server.url });
  });
  afterAll(async () => {
    await api.stop('SIGKILL');
    await superuser.end();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('costs 503s until it goes on, never a 500', async () => {
    const call = caller(api.baseUrl, token);
    const write = () =>
      call('/support/tickets', { method: 'POST', body: '{"title":"a","body":"b"}', headers: JSON_TYPE });
    const connections = await openConnections();
    const load = startLoad(40, (_client, round) => (round % 2 === 0 ? write() : call('/customer')));
    await until(() => (load.tally['201'] ?? 0) > 50);
    const processes = processesOf(postmaster);
    expect(processes.length).toBeGreaterThan(5);
    for (const pid of processes) process.kill(pid, 'SIGSTOP');
    try {
      await wait(STOPPED_MS);
    } finally {
      for (const pid of processes) process.kill(pid, 'SIGCONT');
    }
    const before = load.tally['201'] ?? 0;
    await until(() => (load.tally['201'] ?? 0) > before + 50);
    const tally = await load.stop();
    console.log(`Stopped for ${STOPPED_MS} ms: ${JSON.stringify(tally)}`);
    expect(Object.keys(tally).sort()).toEqual(['200', '201', '503 service_unavailable']);
    expect(api.output().stderr).toBe('');
    // Connections that timed out are closed, not left open beside their replacements.
    await until(async () => (await openConnections()) === connections);
  }, 240_000);

  async function openConnections(): Promise<number> {
    const { rows } = await superuser.query<{ open: number }>(
      `select count(*)::int as open from pg_stat_activity where application_name = 'customer-account-service customer_api'`,
    );
    return rows[0]?.open ?? 0;
  }
});
