import { randomInt } from 'node:crypto';
import { createTemplate, startTestServer } from './test-server';

declare global {
  var stopTestServer: (() => Promise<void>) | undefined;
}

/**
 * One PostgreSQL server for the whole run, with a migrated template that every test file copies. `TEST_SERVER_URL` and
 * `TEST_TEMPLATE` name existing ones, for many runs in a row.
 */
export default async function globalSetup(): Promise<void> {
  if (!process.env.TEST_SERVER_URL) {
    const server = await startTestServer();
    globalThis.stopTestServer = () => server.stop();
    process.env.TEST_SERVER_URL = server.url;
  }
  process.env.TEST_TEMPLATE ??= await createTemplate(process.env.TEST_SERVER_URL);
  // `TEST_SEED=… npm test` repeats the made-up data.
  process.env.TEST_SEED ??= String(randomInt(1_000_000_000));
  console.log(`TEST_SEED=${process.env.TEST_SEED}`);
}
