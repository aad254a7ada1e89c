import { explainStartFailure } from './explain-start-failure';

/** Longer than any request or statement may take. */
const STOP_WITHIN_MS = 20_000;

/** Something that runs until it is closed. */
export interface Closable {
  close(): Promise<unknown>;
  /** Milliseconds after which the process ends although something is not closed. */
  stopWithinMs?: number;
}

/**
 * Runs a process: starts it, or prints one line why it cannot; stops it on SIGTERM and SIGINT, and when its parent
 * process is gone.
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
    }, running.stopWithinMs ?? STOP_WITHIN_MS).unref();
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
