import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { migrateSchema } from '@schema';
import { loadConfig } from '@platform/config';
import { startEmbeddedPostgres } from '@platform/database';
import { type Checkout, programOf, THIS } from './checkout';

/** A PostgreSQL with its usual, durable settings, and in it a migrated database for each checkout. */
export async function startBenchDatabases(port: number, checkouts: readonly Checkout[] = [THIS]) {
  const folder = await mkdtemp(join(tmpdir(), 'bench-'));
  await chmod(folder, 0o755);
  const server = await startEmbeddedPostgres({ folder, port, password: randomBytes(12).toString('hex') });
  const urls: string[] = [];
  for (const checkout of checkouts) urls.push(await migrated(server.url, checkout));
  return {
    urls,
    async stop() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The same with one database, for this checkout. */
export async function startBenchDatabase(port: number) {
  const { urls, stop } = await startBenchDatabases(port);
  return { url: urls[0] as string, stop };
}

/** This checkout has the server's own database; another one gets one of its own, migrated by its own program. */
async function migrated(url: string, checkout: Checkout): Promise<string> {
  if (checkout === THIS) {
    await migrateSchema(loadConfig({ DATABASE_URL: url }));
    return url;
  }
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query('create database other_checkout');
  await client.end();
  const other = Object.assign(new URL(url), { pathname: '/other_checkout' }).href;
  execFileSync(process.execPath, [programOf(checkout, 'operator/src/migrate')], {
    cwd: checkout.folder,
    env: { ...process.env, DATABASE_URL: other },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return other;
}
