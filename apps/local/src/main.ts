import 'reflect-metadata';
import { once } from 'node:events';
import { explainStartFailure } from '@platform/process';
import { startEverything } from './start-everything';

const stopping = new AbortController();

/** `npm start`: starts all parts on this machine. */
async function main(): Promise<void> {
  // Before anything is started: a signal during the start must not leave a database running.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stopping.abort());
  const everything = await startEverything(stopping.signal);
  const asked = stopping.signal.aborted ? undefined : once(stopping.signal, 'abort').then(() => undefined);
  const failure = await Promise.race([everything.failed, asked]);
  // A part that ends after a signal has not failed.
  if (failure !== undefined && !stopping.signal.aborted) process.stderr.write(`${failure}\n`);
  await everything.stop();
  process.exit(stopping.signal.aborted ? 0 : 1);
}

main().catch((error: unknown) => {
  if (!stopping.signal.aborted) process.stderr.write(`${explainStartFailure(error)}\n`);
  process.exit(stopping.signal.aborted ? 0 : 1);
});
