import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { initialiseCluster } from './initialise-cluster';
import { locatePostgres } from './postgres-binaries';
import { stopLeftOver } from './left-over-postgres';
import { reachableFolder } from './reachable-folder';
import { unprivilegedUser } from './unprivileged-user';

/** A PostgreSQL server that this process runs. */
export interface EmbeddedPostgres {
  /** URL of its `postgres` database, with the owner's name and password. */
  url: string;
  /** Resolves when the server has exited for any reason. */
  exited: Promise<void>;
  /** Stops the server: connections are closed, all commits are on disk. */
  stop(): Promise<void>;
}

/** How to run the server. */
export interface EmbeddedPostgresOptions {
  /** Folder of the data; created if it does not exist. For root, see {@link reachableFolder}. */
  folder: string;
  port: number;
  /** Password of the owner, the user `postgres`; used when the data is created. */
  password: string;
  /** Server settings, such as `{ fsync: 'off' }`. */
  settings?: Record<string, string>;
}

/**
 * Starts a server from the binaries that npm installed. The first start creates the data; later starts keep it. A
 * server that a killed process left running on the same data is stopped first.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const user = unprivilegedUser();
  const binaries = await locatePostgres(user);
  const data = join(reachableFolder(user, options.folder), 'postgres');
  await mkdir(data, { recursive: true });
  await chmod(data, 0o700);
  if (user) await chown(data, user.uid, user.gid);
  if (existsSync(join(data, 'PG_VERSION'))) await stopLeftOver(data);
  else await initialiseCluster({ binaries, data, password: options.password, user });

  const settings = { listen_addresses: '127.0.0.1', unix_socket_directories: '', ...options.settings };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  // A separate process group: Ctrl-C is handled by this process, which stops the server last.
  const server = spawn(binaries.postgres, ['-D', data, '-p', String(options.port), ...flags], {
    ...user,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exited = once(server, 'exit').then(() => undefined);
  await ready(server.stderr, exited);
  return {
    url: `postgres://postgres:${encodeURIComponent(options.password)}@127.0.0.1:${options.port}/postgres`,
    exited,
    async stop() {
      // SIGINT is PostgreSQL's fast shutdown.
      if (server.exitCode === null) server.kill('SIGINT');
      await exited;
    },
  };
}

async function ready(log: NodeJS.ReadableStream, exited: Promise<void>): Promise<void> {
  let seen = '';
  const accepting = new Promise<void>((resolve) => {
    log.on('data', (chunk: Buffer) => {
      // Only the output of the start is needed; the stream is still read, or the server would block on a full pipe.
      if (seen.length > 64_000) return;
      seen += chunk.toString();
      if (seen.includes('database system is ready to accept connections')) resolve();
    });
  });
  const died = exited.then(() => {
    throw new Error(`PostgreSQL did not start:\n${seen.trim()}`);
  });
  died.catch(() => undefined);
  await Promise.race([accepting, died]);
}
