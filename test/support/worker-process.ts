import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Exit } from './api-process';
import { compileCache } from './compile-cache';
import { freePort } from './free-port';

/** The compiled worker as a separate process, as in production. */
export interface WorkerProcess {
  child: ChildProcess;
  /** Address of its internal listener. */
  url: string;
  /** Its output so far. */
  output(): string;
  exited: Promise<Exit>;
  /** Stops it, by default with SIGTERM, and waits for its end. */
  stop(signal?: NodeJS.Signals): Promise<Exit>;
}

const MAIN = join(process.cwd(), 'dist', 'apps', 'worker', 'src', 'main.js');

/** Starts it with exactly these settings, and waits until it runs. @throws if it ends instead */
export async function startWorkerProcess(settings: Record<string, string>): Promise<WorkerProcess> {
  const { PATH } = process.env;
  const port = await freePort();
  const own = { NODE_ENV: 'test', LOG_LEVEL: 'warn', INTERNAL_PORT: String(port) };
  const child = fork(MAIN, [], {
    env: { PATH, ...own, ...compileCache, ...settings },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    execArgv: [],
  });
  let written = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (written += chunk.toString()));
  const exited = once(child, 'close').then(([code, signal]) => ({ code, signal }));
  const failed = exited.then(({ code }) => {
    throw new Error(`The worker ended with ${code}:\n${written}`);
  });
  failed.catch(() => undefined);
  await Promise.race([once(child, 'message'), failed]);
  return {
    child,
    url: `http://127.0.0.1:${port}`,
    output: () => written,
    exited,
    stop(signal = 'SIGTERM') {
      child.kill(signal);
      return exited;
    },
  };
}
