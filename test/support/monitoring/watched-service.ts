import { randomBytes, randomInt } from 'node:crypto';
import { Client } from 'pg';
import { addDemoData } from '../../../apps/sandbox/src/demo-data';
import { type Sandbox, startSandbox } from '../../../apps/sandbox/src/sandbox';
import { enableAi, saveModelPrice } from '../ai-factories';
import { caller } from '../api';
import { type ApiProcess, startApiProcess } from '../api-process';
import { databaseServer } from '../database-server';
import { saveFakeCustomer } from '../factories/customer.factory';
import { allowSms } from '../factories/sms-settings.factory';
import { saveFakeToken } from '../factories/service-token.factory';
import { freePort } from '../free-port';
import { findRedis, type RedisServer, startRedis } from '../redis-server';
import { startTcpProxy, type TcpProxy } from '../tcp-proxy';
import { createTestDatabase } from '../test-database';
import { startWorkerProcess, type WorkerProcess } from '../worker-process';
import type { Targets } from './monitoring';
import { createSmallDisk, type SmallDisk } from './small-disk';

/** Two replicas of the API, a worker, the operator API, PostgreSQL, Redis, and the sandbox as every other system. */
export interface WatchedService {
  superuser: Client;
  databaseUrl: string;
  sandbox: Sandbox;
  redis: RedisServer;
  /** Undefined where nobody may mount one: then the database is like any other. */
  disk: SmallDisk | undefined;
  /** The ways to the database: of the replicas; of the worker and the operator API. */
  links: [TcpProxy, TcpProxy];
  replicas: [ApiProcess, ApiProcess];
  worker: WorkerProcess;
  console: ApiProcess;
  targets: Targets;
  customerId: string;
  /** Calls a replica as one customer or the other. Waits for the end of the reply; a lost connection counts as one. */
  call(replica: 0 | 1, path: string, body?: object): Promise<number | undefined>;
  /** Asks a question of the AI provider. */
  ask(replica: 0 | 1, content: string): Promise<number | undefined>;
  /** Starts a replica again under the addresses that it had. */
  startReplica(replica: 0 | 1): Promise<void>;
  startWorker(): Promise<void>;
  startConsole(): Promise<void>;
  /** Lets the worker run a job now that would have its turn later. */
  hasten(job: string): Promise<unknown>;
  stop(): Promise<void>;
}

/** Starts it. Both customers have AI credit and SMS, and may call as often as they like. */
export async function startWatchedService(): Promise<WatchedService> {
  const program = findRedis();
  if (!program) throw new Error('There is no redis-server or valkey-server in the path, nor in REDIS_SERVER');
  const [server = ''] = (await databaseServer()).nodes;
  const disk = await createSmallDisk(server, process.env.TEST_TEMPLATE ?? '');
  const database = disk ? { url: disk.url, drop: () => disk.remove() } : await createTestDatabase();
  const superuser = new Client({ connectionString: database.url });
  superuser.on('error', () => undefined);
  await superuser.connect();
  const [sandbox, redis] = [await startSandbox(), await startRedis(program)];
  addDemoData(sandbox);
  const startLink = () => startTcpProxy(Number(new URL(database.url).port));
  const links: [TcpProxy, TcpProxy] = [await startLink(), await startLink()];
  const through = ({ port }: TcpProxy) => Object.assign(new URL(database.url), { port: String(port) }).href;
  const model = await saveModelPrice(superuser);
  const customers = await Promise.all([saveCustomer(superuser, model), saveCustomer(superuser, model)]);
  const common = {
    SECRETS_KEY: randomBytes(32).toString('base64'),
    ANTHROPIC_BASE_URL: sandbox.urls.messages,
    ANTHROPIC_API_KEY: 'sk-of-the-service',
    FIKEN_URL: sandbox.urls.fiken,
    FIKEN_TOKEN: 'token-of-fiken',
    FIKEN_COMPANY: 'demo',
    ELKS_URL: sandbox.urls.elks46,
    ELKS_USERNAME: 'user',
    ELKS_PASSWORD: 'password',
    REDIS_URL: redis.url,
    UPSTREAM_BREAKER_RESET_MS: '1000',
    RATE_LIMIT_REQUESTS_PER_MINUTE: '1000000',
    RATE_LIMIT_ADDRESS_PER_MINUTE: '1000000',
    RATE_LIMIT_AI_PER_MINUTE: '1000000',
    RATE_LIMIT_SMS_PER_MINUTE: '1000000',
    SMS_DAILY_CAP: '1000000',
    SMS_DAILY_PARTS_CAP: '1000000',
  };
  const ports = await Promise.all(Array.from({ length: 6 }, () => freePort()));
  const [first, second, firstInternal, secondInternal, workerInternal, consoleInternal] = ports as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const startReplica = (port: number, internal: number, more: Record<string, string> = {}) =>
    startApiProcess({
      ...common,
      DATABASE_URL: through(links[0]),
      PORT: String(port),
      INTERNAL_PORT: String(internal),
      ...more,
    });
  // The second is easily overloaded.
  const replicaAt = [
    () => startReplica(first, firstInternal),
    () => startReplica(second, secondInternal, { OVERLOAD_WAIT_MS: '50' }),
  ] as const;
  const startWorker = () =>
    startWorkerProcess({ ...common, DATABASE_URL: through(links[1]), INTERNAL_PORT: String(workerInternal) });
  const startConsole = () =>
    startApiProcess(
      { ...common, DATABASE_URL: through(links[1]), INTERNAL_PORT: String(consoleInternal) },
      'operator-api',
    );
  const service: WatchedService = {
    superuser,
    databaseUrl: database.url,
    sandbox,
    redis,
    disk,
    links,
    customerId: customers[0].id,
    replicas: [await replicaAt[0](), await replicaAt[1]()],
    worker: await startWorker(),
    console: await startConsole(),
    targets: {
      api: [firstInternal, secondInternal].map((port) => `127.0.0.1:${port}`),
      worker: [`127.0.0.1:${workerInternal}`],
      console: [`127.0.0.1:${consoleInternal}`],
    },
    async call(replica, path, body) {
      const baseUrl = `http://127.0.0.1:${replica === 0 ? first : second}/api/v1`;
      const json = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
      try {
        const reply = await caller(baseUrl, customers[randomInt(2)]?.token ?? '')(path, body ? json : {});
        await reply.arrayBuffer();
        return reply.status;
      } catch {
        return undefined;
      }
    },
    ask: (replica, content) =>
      service.call(replica, '/ai/messages', { max_tokens: 300, messages: [{ role: 'user', content }] }),
    async startReplica(replica) {
      service.replicas[replica] = await replicaAt[replica]();
    },
    async startWorker() {
      service.worker = await startWorker();
    },
    async startConsole() {
      service.console = await startConsole();
    },
    hasten: (job) =>
      superuser.query(`update pgboss.job set start_after = now() where name = $1 and state = 'created'`, [job]),
    async stop() {
      await Promise.all([...service.replicas, service.worker, service.console].map((one) => one.stop('SIGKILL')));
      await Promise.all(links.map((link) => link.close()));
      await redis.kill();
      await sandbox.close();
      await superuser.end();
      await database.drop();
    },
  };
  return service;
}

/** A customer with AI credit and SMS. */
async function saveCustomer(superuser: Client, model: string): Promise<{ id: string; token: string }> {
  const { id } = await saveFakeCustomer(superuser);
  await enableAi(superuser, id, { model, included: 100_000 });
  await allowSms(superuser, id);
  return { id, token: (await saveFakeToken(superuser, id)).token };
}
