import 'reflect-metadata';
import { explainStartFailure } from '@app/process';
import { startEverything } from './start-everything';

/** `npm start`: everything, on this machine, with one command. */
async function main(): Promise<void> {
  const everything = await startEverything();
  let stopping = false;
  const stop = () => {
    if (stopping) return;
    stopping = true;
    void everything.stop().then(() => process.exit(0));
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  const reason = await everything.failed;
  if (stopping) return;
  process.stderr.write(`${reason}\n`);
  await everything.stop();
  process.exit(1);
}

main().catch((error: unknown) => {
  process.stderr.write(`${explainStartFailure(error)}\n`);
  process.exit(1);
});
