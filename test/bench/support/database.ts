import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrateSchema } from '@schema';
import { loadConfig } from '@platform/config';
import { startEmbeddedPostgres } from '@platform/database';

/** A migrated PostgreSQL with its usual, durable settings. */
export async function startBenchDatabase(port: number) {
  const folder = await mkdtemp(join(tmpdir(), 'bench-'));
  await chmod(folder, 0o755);
  const server = await startEmbeddedPostgres({ folder, port, password: randomBytes(12).toString('hex') });
  await migrateSchema(loadConfig({ DATABASE_URL: server.url }));
  return {
    url: server.url,
    async stop() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
