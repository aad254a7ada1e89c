import 'reflect-metadata';
import { loadConfig } from '@platform/config';
import { migrateDatabase } from '@platform/database';
import { migrateJobQueue } from '@platform/jobs';
import { explainStartFailure } from '@platform/process';

/** Brings the schema up to date, as the owner that DATABASE_URL names. Apart from the commands: their role is made here. */
Promise.resolve()
  .then(async () => {
    const config = loadConfig();
    const applied = await migrateDatabase(config);
    await migrateJobQueue(config);
    return applied;
  })
  .then(
    (applied) =>
      process.stdout.write(applied.length > 0 ? `Applied:\n  ${applied.join('\n  ')}\n` : 'Nothing to migrate\n'),
    (error: unknown) => {
      process.stderr.write(`${explainStartFailure(error)}\n`);
      process.exitCode = 1;
    },
  );
