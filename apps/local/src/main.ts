import 'reflect-metadata';
import { explainStartFailure } from '@app/process';
import { startEverything } from './start-everything';

/** `npm start`: everything, on this machine, with one command. */
async function main(): Promise<void> {
  const everything = await startEverything();
  let stopping: Promise<void> | undefined;
  const stop = () => {
    stopping ??= everything.stop().then(() => process.exit(0));
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  const reason = await everything.failed;
  // Parts that end because they were told to have not failed.
  if (stopping) return stopping;
  process.stderr.write(`${reason}\n`);
  await everything.stop();
  process.exit(1);
}

main().catch((error: unknown) => {
  process.stderr.write(`${explainStartFailure(error)}\n`);
  process.exit(1);
});
