import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** One of the service's programs, as a process of its own. */
export interface ChildProcess {
  /** The address it told, if it told one. */
  url?: string;
  /** Resolves with what happened when it ends without being asked. */
  failed: Promise<string>;
  stop(): Promise<void>;
}

const ARGUMENTS: Record<string, string[]> = { sandbox: ['--port', '0'] };

/** Starts the program of that name and waits until it says that it is ready. */
export async function startChild(name: string, environment: NodeJS.ProcessEnv): Promise<ChildProcess> {
  const main = join(__dirname, '..', '..', '..', name, 'src', 'main.js');
  const child = fork(main, ARGUMENTS[name] ?? [], { env: environment, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const exited = once(child, 'exit');
  const failed = exited.then(([code, signal]) => `The ${name} stopped by itself (${String(code ?? signal)})`);
  const [message] = await Promise.race([
    once(child, 'message') as Promise<[{ url?: string } | 'ready']>,
    failed.then((reason) => {
      throw new StartError(reason);
    }),
  ]);
  return {
    url: message === 'ready' ? undefined : message.url,
    failed,
    async stop() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
      await exited;
    },
  };
}

/** A program ended before it was ready; it has said why itself. */
class StartError extends Error {
  constructor(reason: string) {
    super(reason);
    this.stack = reason;
  }
}
