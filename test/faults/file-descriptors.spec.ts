import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Agent, type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Client } from 'pg';
import { saveFakeCustomer } from '@test/factories/customer.factory';
import { saveFakeToken } from '@test/factories/service-token.factory';
import { freePort } from '@test/free-port';
import { connectAsSuperuser, createTestDatabase, type TestDatabase } from '@test/test-database';
import { until } from '@test/until';

const MAIN = join(process.cwd(), 'dist', 'apps', 'customer-api', 'src', 'main.js');
const LIMIT = 256;
const CONNECTIONS = 500;

/** Clients use all the file descriptors that the process may have. */
describe('an API without file descriptors to spare', () => {
  let database: TestDatabase;
  let superuser: Client;
  let token: string;
  let port: number;
  let stop: () => Promise<unknown>;
  const connections: Socket[] = [];
  const agent = new Agent({ keepAlive: true, maxSockets: 20 });

  beforeAll(async () => {
    database = await createTestDatabase();
    superuser = await connectAsSuperuser(database);
    token = (await saveFakeToken(superuser, (await saveFakeCustomer(superuser)).id)).token;
    port = await freePort();
    const child = spawn('sh', ['-c', `ulimit -n ${LIMIT} && exec "$0" "$1"`, process.execPath, MAIN], {
      env: {
        PATH: process.env.PATH,
        NODE_ENV: 'test',
        LOG_LEVEL: 'silent',
        DATABASE_URL: database.url,
        PORT: String(port),
        INTERNAL_PORT: String(await freePort()),
      },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const exited = once(child, 'exit');
    stop = () => (child.kill(), exited);
    await once(child, 'message');
  });
  afterAll(async () => {
    agent.destroy();
    for (const socket of connections) socket.destroy();
    await stop();
    await superuser.end();
    await database.drop();
  });

  async function call(method: string, path: string, body?: string, by = agent): Promise<number | undefined> {
    const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) };
    const sent = request({ host: '127.0.0.1', port, method, path: `/api/v1${path}`, headers, agent: by });
    sent.end(body);
    let reply: IncomingMessage;
    try {
      [reply] = (await once(sent, 'response')) as [IncomingMessage];
    } catch (error) {
      // An idle connection gave way just as it was used again: every client sends its request on another one then. Node does not call
      // it reused where a request had waited for it.
      if ((error as NodeJS.ErrnoException).code === 'ECONNRESET') return call(method, path, body, by);
      throw error;
    }
    await text(reply);
    return reply.statusCode;
  }

  it('has its connections to the database from the start', async () => {
    const count = `select count(*)::int as n from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`;
    // At least the pool, the pipelines, the ledger, delivery reports, and the listener of token changes.
    await until(async () => ((await superuser.query<{ n: number }>(count)).rows[0]?.n ?? 0) >= 10 + 2 + 4 + 1 + 1);
  });

  it('reads and writes for those who are connected, and opens no connection for it', async () => {
    // Only reads have run so far: the connections for writes are not open because of earlier writes.
    await Promise.all(Array.from({ length: 20 }, () => call('GET', '/customer')));
    for (let count = 0; count < CONNECTIONS; count++) {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => undefined);
      connections.push(socket);
    }
    await Promise.all(connections.map((socket) => Promise.race([once(socket, 'connect'), once(socket, 'close')])));
    const ticket = '{"title":"a","body":"b"}';
    const statuses = await Promise.all([
      ...Array.from({ length: 20 }, () => call('POST', '/support/tickets', ticket)),
      ...Array.from({ length: 20 }, () => call('GET', '/services')),
    ]);
    expect(new Set(statuses)).toEqual(new Set([201, 200]));
  });

  it('accepts a new client in place of an idle connection', async () => {
    const newClient = new Agent();
    for (const [method, path, body, status] of [
      ['POST', '/support/tickets', '{"title":"a","body":"b"}', 201],
      ['GET', '/services', undefined, 200],
    ] as const)
      expect(await call(method, path, body, newClient)).toBe(status);
    expect(connections.filter(({ destroyed }) => !destroyed).length).toBeLessThan(LIMIT / 2);
  });
});
