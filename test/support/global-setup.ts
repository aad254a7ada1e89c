import { randomBytes, randomInt } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { loadConfig } from '@app/config';
import { type EmbeddedPostgres, migrateDatabase, startEmbeddedPostgres } from '@app/database';
import { freePort } from './free-port';

declare global {
  var stopTestServer: (() => Promise<void>) | undefined;
}

/** One PostgreSQL server for the whole run, with a migrated template that every test file copies. */
export default async function globalSetup(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'customer-account-service-test-'));
  await chmod(folder, 0o755);
  const server: EmbeddedPostgres = await startEmbeddedPostgres({
    folder,
    port: await freePort(),
    password: randomBytes(12).toString('hex'),
    // Speed where durability does not matter: the data is gone after the run.
    settings: { fsync: 'off', full_page_writes: 'off', max_connections: '300' },
  });
  globalThis.stopTestServer = async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
  const client = new Client({ connectionString: server.url });
  await client.connect();
  await client.query('create database template_migrated');
  await client.end();
  process.env.TEST_SERVER_URL = server.url;
  // Made-up data is the same again with TEST_SEED=… npm test.
  process.env.TEST_SEED ??= String(randomInt(1_000_000_000));
  console.log(`TEST_SEED=${process.env.TEST_SEED}`);
  await migrateDatabase(
    loadConfig({ NODE_ENV: 'test', DATABASE_URL: server.url.replace(/\/postgres$/, '/template_migrated') }),
  );
}
