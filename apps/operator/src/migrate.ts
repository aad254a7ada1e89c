import 'reflect-metadata';
import { loadConfig } from '@app/config';
import { migrateDatabase } from '@app/database';
import { explainStartFailure } from '@app/process';

/** Brings the schema up to date, as the owner that DATABASE_URL names. Apart from the commands: their role is made here. */
Promise.resolve()
  .then(() => migrateDatabase(loadConfig()))
  .then(
    (applied) =>
      process.stdout.write(applied.length > 0 ? `Applied:\n  ${applied.join('\n  ')}\n` : 'Nothing to migrate\n'),
    (error: unknown) => {
      process.stderr.write(`${explainStartFailure(error)}\n`);
      process.exitCode = 1;
    },
  );
