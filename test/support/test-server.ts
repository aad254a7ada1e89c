import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '@platform/database';
import { freePort } from './free-port';

/** A PostgreSQL server for tests; its data is gone when it stops. */
export interface TestServer {
  /** Address of its `postgres` database. */
  url: string;
  stop(): Promise<void>;
}

export async function startTestServer(): Promise<TestServer> {
  const folder = await mkdtemp(join(tmpdir(), 'customer-account-service-test-'));
  await chmod(folder, 0o755);
  const server = await startEmbeddedPostgres({
    folder,
    port: await freePort(),
    password: randomBytes(12).toString('hex'),
    // Durability does not matter here.
    settings: { fsync: 'off', full_page_writes: 'off', max_connections: '600' },
  });
  return {
    url: server.url,
    async stop() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
