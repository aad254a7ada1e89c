import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** One of the service's programs as a child process. */
export interface ChildProcess {
  /** The address that the program announced, if any. */
  url?: string;
  /** Resolves with the reason when the program ends without having been stopped. */
  failed: Promise<string>;
  stop(): Promise<void>;
}

const ARGUMENTS: Record<string, string[]> = { sandbox: ['--port', '0'] };

/** Starts a program and waits until it announces that it is ready. */
export async function startChild(name: string, environment: NodeJS.ProcessEnv): Promise<ChildProcess> {
  const main = join(__dirname, '..', '..', name, 'src', 'main.js');
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

/** A program ended before it was ready. It has written the reason itself. */
class StartError extends Error {
  constructor(reason: string) {
    super(reason);
    this.stack = reason;
  }
}
