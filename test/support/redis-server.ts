import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from './free-port';

/** A Redis or Valkey server of one test. */
export interface RedisServer {
  url: string;
  /** Kills it, like a crash. */
  kill(): Promise<void>;
  /** Starts it again on the same port, empty. */
  restart(): Promise<void>;
  /** Stops it from answering while its connections stay open; and resumes it. */
  freeze(): void;
  thaw(): void;
  /** Lets it use so much memory and no more; 0: as much as it likes. What it has no room for it refuses. */
  limitMemory(bytes: number): Promise<void>;
}

/** The program: `REDIS_SERVER`, or the first `redis-server` or `valkey-server` in the path. */
export function findRedis(): string | undefined {
  const { REDIS_SERVER, PATH = '' } = process.env;
  if (REDIS_SERVER) return REDIS_SERVER;
  const folders = PATH.split(delimiter);
  return ['redis-server', 'valkey-server']
    .flatMap((name) => folders.map((folder) => join(folder, name)))
    .find((path) => existsSync(path));
}

/**
 * Tests that need Redis. On a machine without one they are skipped with a message; in CI (`CI=true`) that is a failure.
 */
export function describeWithRedis(title: string, tests: (program: string) => void): void {
  const program = findRedis();
  if (program) return describe(title, () => tests(program));
  const missing = `NOT TESTED: ${title}. There is no redis-server or valkey-server in the path, nor in REDIS_SERVER.`;
  console.warn(missing);
  it(missing, () => expect(process.env.CI).not.toBe('true'));
}

/** Starts a server on a free port, without persistence. */
export async function startRedis(program: string): Promise<RedisServer> {
  const port = await freePort();
  let server = await start(program, port);
  return {
    url: `redis://127.0.0.1:${port}`,
    async kill() {
      if (server.exitCode !== null || server.signalCode !== null) return;
      const exited = once(server, 'exit');
      server.kill('SIGKILL');
      await exited;
    },
    async restart() {
      server = await start(program, port);
    },
    freeze: () => void server.kill('SIGSTOP'),
    thaw: () => void server.kill('SIGCONT'),
    async limitMemory(bytes) {
      const client = new Redis(port);
      await client.config('SET', 'maxmemory', bytes);
      await client.quit();
    },
  };
}

async function start(program: string, port: number): Promise<ChildProcess> {
  const server = spawn(program, ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.stdout.on('data', (chunk: Buffer) => {
      if (/ready to accept connections/i.test(chunk.toString())) resolve();
    });
  });
  return server;
}
