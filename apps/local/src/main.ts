import 'reflect-metadata';
import { once } from 'node:events';
import { explainStartFailure } from '@platform/process';
import { startEverything } from './start-everything';

const stopping = new AbortController();

/** `npm start`: everything, on this machine, with one command. */
async function main(): Promise<void> {
  // Before anything is started: a process that is stopped while it starts must not leave a database behind.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stopping.abort());
  const everything = await startEverything(stopping.signal);
  const asked = stopping.signal.aborted ? undefined : once(stopping.signal, 'abort').then(() => undefined);
  const failure = await Promise.race([everything.failed, asked]);
  // Parts that end because they were told to have not failed.
  if (failure !== undefined && !stopping.signal.aborted) process.stderr.write(`${failure}\n`);
  await everything.stop();
  process.exit(stopping.signal.aborted ? 0 : 1);
}

main().catch((error: unknown) => {
  if (!stopping.signal.aborted) process.stderr.write(`${explainStartFailure(error)}\n`);
  process.exit(stopping.signal.aborted ? 0 : 1);
});
