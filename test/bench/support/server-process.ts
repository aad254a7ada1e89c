import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { type Checkout, programOf } from './checkout';

/** A server that runs as a child process. */
export interface ServerProcess {
  pid: number;
  stop(): Promise<void>;
}

/** Starts a server as a child process and waits until it listens. @returns a function that stops it */
export async function startServerProcess(
  main: string,
  environment: Record<string, string>,
): Promise<() => Promise<void>> {
  const { stop } = await startServer(main, environment);
  return stop;
}

/** Starts a server as a child process and waits until it listens. `execArgv` are flags of Node. */
export async function startServer(
  main: string,
  environment: Record<string, string>,
  { execArgv = [], cwd }: { execArgv?: string[]; cwd?: string } = {},
): Promise<ServerProcess> {
  const child: ChildProcess = fork(main, [], {
    execArgv,
    cwd,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const exited = once(child, 'exit');
  await Promise.race([
    once(child, 'message'),
    exited.then(() => Promise.reject(new Error(`${main} ended before it listened`))),
  ]);
  const stop = async () => {
    child.kill('SIGTERM');
    await exited;
  };
  return { pid: child.pid as number, stop };
}

/** Starts the customer API of a checkout. */
export function startApi(
  checkout: Checkout,
  settings: Record<string, string>,
  execArgv: string[] = [],
): Promise<ServerProcess> {
  return startServer(programOf(checkout, 'customer-api/src/main'), settings, { execArgv, cwd: checkout.folder });
}

/** Settings of an API without rate limits on `port`, and on the next one for its internal listener. */
export function unlimited(databaseUrl: string, port: number): Record<string, string> {
  const generous = String(1_000_000_000);
  return {
    DATABASE_URL: databaseUrl,
    PORT: String(port),
    INTERNAL_PORT: String(port + 1),
    RATE_LIMIT_REQUESTS_PER_MINUTE: generous,
    RATE_LIMIT_ADDRESS_PER_MINUTE: generous,
  };
}
