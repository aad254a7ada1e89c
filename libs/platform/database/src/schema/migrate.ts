import { DataSource, type QueryRunner } from 'typeorm';
import type { AppConfig } from '@platform/config';
import { distributeSchema } from '../distribution/distribute-schema';
import type { ForwardMigration } from '../migrations/forward-migration';
import { dataSourceOptions } from './data-source-options';
import { assertKnownSchema, MIGRATIONS_TABLE } from './known-schema';

/** Any number of replicas may start at once; one migrates, the others wait. The number only has to be the project's own. */
const MIGRATION_LOCK = 7_264_019;

/**
 * Brings the schema up to date, as the owner. @returns the names of the migrations that ran.
 * @throws UnknownSchemaError before anything is changed, when the database has a schema that is not of these migrations.
 */
export async function migrateDatabase(
  config: AppConfig,
  migrations: readonly (new () => ForwardMigration)[],
): Promise<string[]> {
  const dataSource = await new DataSource({
    ...dataSourceOptions(config, 'owner'),
    migrations: [...migrations],
    migrationsTableName: MIGRATIONS_TABLE,
    migrationsTransactionMode: 'each',
  }).initialize();
  const lock = dataSource.createQueryRunner();
  try {
    await lock.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await assertKnownSchema(lock, migrations);
    const ran = await dataSource.runMigrations();
    await distributeSchema(
      lock,
      migrations.map((migration) => new migration()),
    );
    await restrictDatabase(lock);
    return ran.map(({ name }) => name);
  } finally {
    await lock.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK]);
    await lock.release();
    await dataSource.destroy();
  }
}

/**
 * Nobody but the owner may make objects whose names could be taken for ours. Done at every run, not by a migration: a
 * database's own rights are not copied by a template or a dump.
 */
async function restrictDatabase(runner: QueryRunner): Promise<void> {
  const [{ name }] = (await runner.query(`select quote_ident(current_database()) as name`)) as [{ name: string }];
  await runner.query(`revoke temporary, create on database ${name} from public`);
  await runner.query(`revoke create on schema public from public`);
}
