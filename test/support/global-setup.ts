import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { databaseServer, onEveryNode } from './database-server';
import { createTemplate } from './template-database';
import { startTestServer } from './test-server';

declare global {
  var endTestServer: (() => Promise<void>) | undefined;
}

/**
 * One PostgreSQL server for the whole run, with a migrated template that every test file copies. `TEST_DATABASE_URL` names
 * another server, as its superuser: any PostgreSQL, or the coordinator of a Citus cluster if the named database has its nodes.
 * `TEST_TEMPLATE` names an existing template of it, for many runs in a row.
 *
 * The first run installs the validator of replies, which nothing else needs.
 */
export default async function globalSetup(): Promise<void> {
  const env = { ...process.env, NODE_OPTIONS: '' };
  execFileSync(process.execPath, ['test/support/install-if-stale.mjs', 'test/support/conformance'], {
    env,
    stdio: 'inherit',
  });
  if (!process.env.TEST_DATABASE_URL) {
    const server = await startTestServer();
    globalThis.endTestServer = () => server.stop();
    process.env.TEST_DATABASE_URL = server.url;
  }
  if (!process.env.TEST_TEMPLATE) {
    const template = await createTemplate();
    process.env.TEST_TEMPLATE = template;
    globalThis.endTestServer ??= () => onEveryNode(`drop database ${template} with (force)`);
  }
  process.env.TEST_CLUSTER = (await databaseServer()).isCluster ? 'yes' : 'no';
  // `TEST_SEED=… npm test` repeats the made-up data.
  process.env.TEST_SEED ??= String(randomInt(1_000_000_000));
  console.log(`TEST_SEED=${process.env.TEST_SEED}`);
}
