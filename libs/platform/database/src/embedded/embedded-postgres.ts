import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { chown, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import {
  locatePostgres,
  type PostgresBinaries,
  reachableFolder,
  type SystemUser,
  unprivilegedUser,
} from './postgres-binaries';

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
  const data = join(await reachableFolder(user, options.folder), 'postgres');
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

const READY = 'database system is ready to accept connections';
/** Characters of the log that are kept: recovery may write much more before the server is ready, and the end says why it is not. */
const LOG_KEPT = 64_000;

async function ready(log: NodeJS.ReadableStream, exited: Promise<void>): Promise<void> {
  let seen = '';
  const accepting = new Promise<void>((resolve) => {
    log.on('data', (chunk: Buffer) => {
      // Only the end of the output is needed; the stream is still read, or the server would block on a full pipe.
      seen = (seen + chunk.toString()).slice(-LOG_KEPT);
      if (seen.includes(READY)) resolve();
    });
  });
  const died = exited.then(() => {
    throw new Error(`PostgreSQL did not start:\n${seen.trim()}`);
  });
  died.catch(() => undefined);
  await Promise.race([accepting, died]);
}

/** Creates the data of a new server, owned by the database user `postgres`: all of it, or nothing that counts as data if it is killed. */
async function initialiseCluster(cluster: {
  binaries: PostgresBinaries;
  data: string;
  password: string;
  user: SystemUser | undefined;
}): Promise<void> {
  const { binaries, data, password, user } = cluster;
  const unfinished = `${data}.new`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { mode: 0o700 });
  if (user) await chown(unfinished, user.uid, user.gid);
  const secrets = await mkdtemp(join(tmpdir(), 'pg-'));
  const passwordFile = join(secrets, 'password');
  try {
    await writeFile(passwordFile, password, { mode: 0o600 });
    if (user) await Promise.all([secrets, passwordFile].map((path) => chown(path, user.uid, user.gid)));
    const initdb = spawn(
      binaries.initdb,
      [
        '-D',
        unfinished,
        '-U',
        'postgres',
        '--auth=scram-sha-256',
        `--pwfile=${passwordFile}`,
        '--encoding=UTF8',
        '--locale=C',
      ],
      // eslint-disable-next-line no-restricted-properties -- passed on, not read: the program needs its PATH and libraries
      { ...user, env: { ...process.env, LC_ALL: 'C' }, stdio: ['ignore', 'ignore', 'pipe'] },
    );
    let complaint = '';
    initdb.stderr.on('data', (chunk: Buffer) => (complaint += chunk.toString()));
    const [code] = (await once(initdb, 'close')) as [number | null];
    if (code !== 0) throw new Error(`initdb failed:\n${complaint.trim()}`);
    await rename(unfinished, data);
  } finally {
    await rm(secrets, { recursive: true, force: true });
  }
}

const POLL_MS = 50;
const PATIENCE_MS = 15_000;

/** Stops a server that still runs on the data because the process that started it was killed. */
async function stopLeftOver(data: string): Promise<void> {
  const pidFile = join(data, 'postmaster.pid');
  const pid = existsSync(pidFile) ? Number(readFileSync(pidFile, 'utf8').split('\n')[0]) : 0;
  if (!pid || !isPostgres(pid) || !signal(pid, 'SIGINT')) return;
  for (let waited = 0; signal(pid, 0); waited += POLL_MS) {
    if (waited > PATIENCE_MS)
      throw new Error(`PostgreSQL (process ${pid}) still runs on ${data}; stop it and start again`);
    // The process is not our child, so there is no event of its end.
    await wait(POLL_MS);
  }
}

/** After a reboot the process id may belong to another program. */
function isPostgres(pid: number): boolean {
  if (!existsSync('/proc/self/comm'))
    return spawnSync('ps', ['-o', 'comm=', '-p', String(pid)], { encoding: 'utf8' }).stdout.includes('postgres');
  const command = `/proc/${pid}/comm`;
  return existsSync(command) && readFileSync(command, 'utf8').startsWith('postgres');
}

function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}
