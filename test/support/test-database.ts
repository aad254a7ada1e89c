import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { type AppConfig, loadConfig } from '@platform/config';
import { databaseOn, databaseServer, onEveryNode, onNode } from './database-server';

/** A migrated database for one test file. */
export interface TestDatabase {
  url: string;
  config: AppConfig;
  /** Addresses of the database on the workers of a cluster; empty on one server. */
  workers: string[];
  /** Drops the database and closes its connections. */
  drop(): Promise<void>;
}

/**
 * Copies the migrated template, file by file: block by block, which is PostgreSQL's own choice, takes twice as long. `settings` are
 * further environment variables of the configuration.
 */
export async function createTestDatabase(settings: Record<string, string> = {}): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  await onEveryNode(`create database ${name} template ${process.env.TEST_TEMPLATE} strategy file_copy`);
  // A template's rights are not copied, so they are granted as after a migration.
  await onEveryNode(`revoke temporary on database ${name} from public`);
  const urls = (await databaseServer()).nodes.map((node) => databaseOn(node, name));
  const { BILLING_TIMEZONE: zone } = settings;
  if (zone !== undefined && urls[0] !== undefined) await onNode(urls[0], `update billing_zone set zone = '${zone}'`);
  return databaseAt(urls, settings, () => onEveryNode(`drop database ${name} with (force)`));
}

/** A database that is there already. @param urls its addresses on all nodes, the coordinator's first */
export function databaseAt(
  [url = '', ...workers]: string[],
  settings: Record<string, string>,
  drop: () => Promise<unknown>,
): TestDatabase {
  return {
    url,
    workers,
    config: loadConfig({
      NODE_ENV: 'test',
      LOG_LEVEL: 'silent',
      PORT: '0',
      INTERNAL_PORT: '0',
      // The test's own work in the same process would count as overload.
      OVERLOAD_WAIT_MS: '60000',
      SHUTDOWN_IDLE_MS: '0',
      DATABASE_URL: url,
      ...settings,
    }),
    drop: async () => void (await drop()),
  };
}

/**
 * A superuser's connection that bypasses all isolation layers: to create and check records, never for the code under
 * test.
 */
export async function connectAsSuperuser(database: TestDatabase): Promise<Client> {
  const client = new Client({ connectionString: database.url });
  // The database may be dropped under a connection at the end of a test.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** A login that is a member of the API's role and nothing else, as in production. @returns its address */
export async function createApiLogin(database: TestDatabase): Promise<string> {
  const [name, password] = [`api_${randomBytes(6).toString('hex')}`, randomBytes(12).toString('hex')];
  await onNode(database.url, `create role ${name} login noinherit password '${password}' in role customer_api`);
  const url = new URL(database.url);
  return Object.assign(url, { username: name, password }).href;
}
