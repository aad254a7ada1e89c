import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { startEmbeddedPostgres } from '@platform/database';
import { freePort } from './free-port';
import { makeScratchFolder } from './scratch-folder';

/** A PostgreSQL server for tests; its data is gone when it stops. */
export interface TestServer {
  /** Address of its `postgres` database. */
  url: string;
  stop(): Promise<void>;
}

export async function startTestServer(): Promise<TestServer> {
  const folder = await makeScratchFolder('test');
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
