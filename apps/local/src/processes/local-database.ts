import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { resolve } from 'node:path';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@platform/database';

/** Starts PostgreSQL with its data under `.data/`, on a free port. */
export async function startDatabase(password: string): Promise<EmbeddedPostgres> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return startEmbeddedPostgres({ folder: resolve('.data'), port, password });
}
