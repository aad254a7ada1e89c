import { explainStartFailure } from './explain-start-failure';

/** Longer than any request may take and any statement lasts: what is not closed by then never will be. */
const STOP_WITHIN_MS = 20_000;

/** Something that runs until it is closed. */
export interface Closable {
  close(): Promise<unknown>;
}

/**
 * Runs a process's main part: starts it, or says in one line why it can't; stops it on SIGTERM and SIGINT, and when the
 * process that started it is gone.
 */
export async function runProcess(start: () => Promise<Closable>): Promise<void> {
  let running: Closable;
  try {
    running = await start();
  } catch (error) {
    process.stderr.write(`${explainStartFailure(error)}\n`);
    process.exit(1);
  }
  let stopping: Promise<void> | undefined;
  const stop = () => {
    setTimeout(() => {
      process.stderr.write('Could not stop in time\n');
      process.exit(1);
    }, STOP_WITHIN_MS).unref();
    stopping ??= running.close().then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`Could not stop cleanly: ${String(error)}\n`);
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  if (process.send) {
    if (!process.connected) return stop();
    process.on('disconnect', stop);
    process.send('ready');
  }
}
