import { randomBytes, randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { Pool } from 'pg';
import { WebhookSecretsService } from '@domains/events';
import { migrateSchema } from '@schema';
import { type AppConfig, loadConfig } from '@platform/config';
import { startEmbeddedPostgres } from '@platform/database';
import { migrateJobQueue } from '@platform/jobs';
import { SecretBox } from '@platform/secrets';
import { freePort } from './free-port';
import { makeScratchFolder } from './scratch-folder';
import { startWorkerProcess, type WorkerProcess } from './worker-process';

/** An endpoint with its secret. */
export interface TestEndpoint {
  customerId: string;
  id: string;
  url: string;
  secret: string;
}

/** A PostgreSQL of its own, which can be restarted, with endpoints and worker processes. */
export interface WebhookFixture {
  pool: Pool;
  /** Adds an endpoint of a new customer, without any scope: an event's `data` is its reference. */
  endpoint(url: string): Promise<TestEndpoint>;
  /** Writes an event in a transaction of its own. @returns when it was committed, in terms of `performance.now()` */
  record(customerId: string, number: number): Promise<number>;
  startWorker(settings?: Record<string, string>): Promise<WorkerProcess>;
  /** Stops PostgreSQL and starts it again. */
  restartDatabase(): Promise<void>;
  close(): Promise<void>;
}

export async function createWebhookFixture(settings: Record<string, string> = {}): Promise<WebhookFixture> {
  const folder = await makeScratchFolder('webhooks');
  const options = {
    folder,
    port: await freePort(),
    password: randomBytes(12).toString('hex'),
    settings: { fsync: 'off', full_page_writes: 'off', max_connections: '300' },
  };
  let server = await startEmbeddedPostgres(options);
  const environment = {
    NODE_ENV: 'test',
    DATABASE_URL: server.url,
    SECRETS_KEY: randomBytes(32).toString('base64'),
    WEBHOOK_ALLOW_PRIVATE: 'true',
    ...settings,
  };
  const config: AppConfig = loadConfig({ LOG_LEVEL: 'silent', ...environment });
  await migrateSchema(config);
  await migrateJobQueue(config);
  const secrets = new WebhookSecretsService(new SecretBox(config), config);
  const pool = new Pool({ connectionString: server.url, max: 20 });
  pool.on('error', () => undefined);
  const workers = new Set<WorkerProcess>();
  return {
    pool,
    async endpoint(url) {
      const [customerId, id] = [randomUUID(), randomUUID()];
      const { secret, ciphertext } = secrets.generate({ customerId, id });
      await pool.query(
        `insert into webhook_endpoint (customer_id, id, url, scopes, secret_ciphertext, created_at, updated_at)
         values ($1, $2, $3, '{}', $4, now(), now())`,
        [customerId, id, url, ciphertext],
      );
      return { customerId, id, url, secret };
    },
    async record(customerId, number) {
      await pool.query(`select app.record_event($1, 'sms.delivered', $2, $3)`, [
        customerId,
        { id: number },
        { text: 'x'.repeat(300) },
      ]);
      return performance.now();
    },
    async startWorker(more = {}) {
      const worker = await startWorkerProcess({ ...environment, ...more });
      workers.add(worker);
      void worker.exited.then(() => workers.delete(worker));
      return worker;
    },
    async restartDatabase() {
      await server.stop();
      server = await startEmbeddedPostgres(options);
    },
    async close() {
      await Promise.all([...workers].map((worker) => worker.stop('SIGKILL')));
      await pool.end();
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
