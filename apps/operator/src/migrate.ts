import 'reflect-metadata';
import { migrateSchema } from '@schema';
import { loadConfig } from '@platform/config';
import { migrateJobQueue } from '@platform/jobs';
import { explainStartFailure } from '@platform/process';

/**
 * Migrates the schema as the owner in DATABASE_URL. Not a command of the operator's program: that program's role is
 * created here.
 */
Promise.resolve()
  .then(async () => {
    const config = loadConfig();
    const applied = await migrateSchema(config);
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
