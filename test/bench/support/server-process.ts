import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

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

/** Starts a server as a child process and waits until it listens. @param execArgv flags of Node */
export async function startServer(
  main: string,
  environment: Record<string, string>,
  execArgv: string[] = [],
): Promise<ServerProcess> {
  const child: ChildProcess = fork(main, [], {
    execArgv,
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
