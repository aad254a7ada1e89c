import type { QueryRunner } from 'typeorm';
import { UnknownSchemaError } from '../condition/database-errors';
import type { ForwardMigration } from '../migrations/forward-migration';

/** Where TypeORM records which migrations have run. */
export const MIGRATIONS_TABLE = 'schema_migration';

/**
 * Refuses a database that these migrations cannot bring up to date: one with migrations of another version, or whose tables
 * are not those of the migrations that it says have run. Compares what is there, because names alone do not tell: a
 * dump may lack the record, and another version may use the same name. Changes nothing.
 */
export async function assertKnownSchema(
  runner: QueryRunner,
  migrations: readonly (new () => ForwardMigration)[],
): Promise<void> {
  const present = new Set(await names(runner, `select tablename as name from pg_tables where schemaname = 'public'`));
  const recorded = new Set(
    present.has(MIGRATIONS_TABLE) ? await names(runner, `select name from ${MIGRATIONS_TABLE} order by id`) : [],
  );
  const known = new Map(migrations.map((migration) => [migration.name, new migration().tables]));
  const foreign = [...recorded].find((name) => !known.has(name));
  if (foreign) throw new UnknownSchemaError(`migration ${foreign}`);
  const [{ app }] = (await runner.query(`select to_regnamespace('app') is not null as app`)) as [{ app: boolean }];
  if (app && recorded.size === 0) throw new UnknownSchemaError('a schema app, and no record of migrations');
  for (const [name, tables] of known) {
    const ran = recorded.has(name);
    const odd = tables.find((table) => present.has(table) !== ran);
    if (odd) throw new UnknownSchemaError(ran ? `no table ${odd}` : `table ${odd}`);
  }
}

async function names(runner: QueryRunner, sql: string): Promise<string[]> {
  return ((await runner.query(sql)) as { name: string }[]).map(({ name }) => name);
}
