import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { compileCache } from './compile-cache';
import { freePort } from './free-port';

/** How a process ended. */
export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** The compiled API as a separate process, as in production. */
export interface ApiProcess {
  child: ChildProcess;
  origin: string;
  /** Address of `/api/v1`; of the operator API's `/operator/v1`. */
  baseUrl: string;
  metricsUrl: string;
  /** Its standard output and standard error so far. */
  output(): { stdout: string; stderr: string };
  exited: Promise<Exit>;
  /** Stops it, by default with SIGTERM, and waits for its end. */
  stop(signal?: NodeJS.Signals): Promise<Exit>;
}

/** The programs that answer requests, and their settings of the port. */
const PROGRAMS = { 'customer-api': 'PORT', 'operator-api': 'OPERATOR_PORT' } as const;
type Program = keyof typeof PROGRAMS;

/** A stop does not wait for idle connections of the test's own. */
const DEFAULTS = { NODE_ENV: 'test', LOG_LEVEL: 'warn', OVERLOAD_WAIT_MS: '60000', SHUTDOWN_IDLE_MS: '0' };

/** Starts the API, or the operator's, on free ports and waits until it is ready. @throws with its output if it ends instead */
export async function startApiProcess(
  settings: Record<string, string>,
  program: Program = 'customer-api',
): Promise<ApiProcess> {
  const [port, internalPort] = [await freePort(), await freePort()];
  const ports = { [PROGRAMS[program]]: String(port), INTERNAL_PORT: String(internalPort) };
  const { child, output, exited } = spawnApi({ ...ports, ...settings }, program);
  await Promise.race([
    once(child, 'message'),
    exited.then(({ code }) => {
      throw new Error(`The API ended with ${code}:\n${output().stderr}`);
    }),
  ]);
  const origin = `http://127.0.0.1:${port}`;
  return {
    child,
    origin,
    baseUrl: `${origin}/${program === 'customer-api' ? 'api' : 'operator'}/v1`,
    metricsUrl: `http://127.0.0.1:${internalPort}/metrics`,
    output,
    exited,
    stop(signal = 'SIGTERM') {
      child.kill(signal);
      return exited;
    },
  };
}

/** Starts the API with exactly these settings, without waiting. */
export function spawnApi(settings: Record<string, string>, program: Program = 'customer-api') {
  const main = join(process.cwd(), 'dist', 'apps', program, 'src', 'main.js');
  if (!existsSync(main)) throw new Error('The service is not compiled: npm run build');
  const { PATH } = process.env;
  const child = fork(main, [], {
    env: { ...DEFAULTS, PATH, ...compileCache, ...settings },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    execArgv: [],
  });
  const written = { stdout: '', stderr: '' };
  child.stdout?.on('data', (chunk: Buffer) => (written.stdout += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (written.stderr += chunk.toString()));
  // 'close' comes after the last of its output.
  const exited = once(child, 'close').then(([code, signal]) => ({ code, signal }));
  return { child, output: () => written, exited };
}
