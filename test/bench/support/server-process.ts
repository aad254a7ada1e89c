import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

/** Starts a server as a child process and waits until it listens. */
export async function startServerProcess(
  main: string,
  environment: Record<string, string>,
): Promise<() => Promise<void>> {
  const child: ChildProcess = fork(main, [], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const exited = once(child, 'exit');
  await Promise.race([
    once(child, 'message'),
    exited.then(() => Promise.reject(new Error(`${main} ended before it listened`))),
  ]);
  return async () => {
    child.kill('SIGTERM');
    await exited;
  };
}
