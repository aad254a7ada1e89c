import { setTimeout as delay } from 'node:timers/promises';
import { DataSource, type DataSourceOptions, type QueryRunner } from 'typeorm';
import type { AppConfig } from '@platform/config';
import { isLockTimeout, TablesInUseError, UnknownSchemaError } from '../database-errors';
import { FOUNDATION } from '../migrations/1763683200000-database';
import { dataSourceOptions } from './data-source-options';
import { distributeSchema } from './distribute-schema';
import type { ForwardMigration } from './forward-migration';
import {
  appliedRelease,
  applyAllFunctions,
  areApplied,
  type FunctionSet,
  recordMigrating,
  replaceFunctions,
} from './functions';

/** Any number of replicas may start at once; one migrates, the others wait. The number only has to be the project's own. */
const MIGRATION_LOCK = 7_264_019;

/** Where TypeORM records which migrations have run. */
const MIGRATIONS_TABLE = 'schema_migration';
const RECORDED = `select name from ${MIGRATIONS_TABLE} order by id`;

/**
 * How long a migration waits for a table that it changes: whoever reads or writes the table waits behind it meanwhile, and a backup
 * keeps all tables for hours. Longer than `deadlock_timeout`, after which autovacuum gives way.
 */
const LOCK_WAIT_MS = 2000;
/** How often it tries, and the pause in between, in which those behind it are served. */
const ATTEMPTS = 5;
const PAUSE_MS = 1000;

/** The result of a migration. */
export interface Migrated {
  /** Names of the migrations that ran. */
  applied: string[];
  /** The release that the database is of, if that is a later one which this one can use: nothing was changed then. */
  later?: string;
}

/**
 * Brings the schema up to date, as the owner: migrations first, then the functions, then their distribution over a cluster. A
 * schema of a later release that this one can use stays as it is. `files` are functions of libraries without migrations.
 * @throws UnknownSchemaError before anything is changed, when the database has a schema that is not of these migrations, or is of
 * a later release that this one cannot use. TablesInUseError while a long transaction keeps a migration from its tables; those before
 * it have run
 */
export async function migrateDatabase(
  config: AppConfig,
  migrations: readonly (new () => ForwardMigration)[],
  { release, usableFrom, files }: FunctionSet,
): Promise<Migrated> {
  const all = migrations.map((migration) => new migration());
  const functions = { release, usableFrom, files: [...all.flatMap((migration) => migration.functions), ...files] };
  const dataSource = await new DataSource({
    ...impatient(dataSourceOptions(config, 'owner')),
    migrations: [...migrations],
    migrationsTableName: MIGRATIONS_TABLE,
    migrationsTransactionMode: 'each',
  }).initialize();
  const lock = dataSource.createQueryRunner();
  try {
    await lock.query('set lock_timeout = 0');
    await lock.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    const later = await laterRelease(lock, release);
    if (later !== undefined) {
      await restrictDatabase(lock);
      return { applied: [], later };
    }
    const before = await assertKnownSchema(lock, all);
    // Should one of the migrations fail, the programs of the former release go on, and may migrate: they do not know those that have run.
    const isPending = all.some(({ constructor }) => !before.has(constructor.name));
    if (before.size > 0 && isPending) await recordMigrating(lock, functions);
    // A further migration uses these as they are today; the first one creates them.
    if (before.size > 0 && !(await areApplied(lock, functions))) await replaceFunctions(lock, FOUNDATION);
    await runMigrations(dataSource);
    await applyAllFunctions(lock, functions);
    await distributeSchema(lock, all);
    await restrictDatabase(lock);
    return { applied: (await names(lock, RECORDED)).filter((name) => !before.has(name)) };
  } finally {
    await lock.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK]);
    await lock.release();
    await dataSource.destroy();
  }
}

/** The options for connections that wait for no lock for long. */
function impatient(options: DataSourceOptions): DataSourceOptions {
  const { extra } = options as { extra: { options: string } };
  return { ...options, extra: { ...extra, options: `${extra.options} -c lock_timeout=${LOCK_WAIT_MS}` } };
}

/** Runs the migrations that have not run. Each is a transaction of its own. @throws TablesInUseError */
async function runMigrations(dataSource: DataSource): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await dataSource.runMigrations();
      return;
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      if (attempt === ATTEMPTS) throw new TablesInUseError(error);
    }
    await delay(PAUSE_MS);
  }
}

/**
 * Refuses a database that these migrations cannot bring up to date: one with migrations of another version, or whose tables
 * are not those of the migrations that it says have run. Compares the tables, because names alone do not tell: a
 * dump may lack the record, and another version may use the same name. Changes nothing. @returns names of those that have run
 */
async function assertKnownSchema(runner: QueryRunner, migrations: readonly ForwardMigration[]): Promise<Set<string>> {
  const present = new Set(await names(runner, `select tablename as name from pg_tables where schemaname = 'public'`));
  const recorded = new Set(present.has(MIGRATIONS_TABLE) ? await names(runner, RECORDED) : []);
  const known = new Map(migrations.map(({ constructor, tables }) => [constructor.name, tables]));
  const foreign = [...recorded].find((name) => !known.has(name));
  if (foreign) throw new UnknownSchemaError(`migration ${foreign}`);
  const [{ app }] = (await runner.query(`select to_regnamespace('app') is not null as app`)) as [{ app: boolean }];
  if (app && recorded.size === 0) throw new UnknownSchemaError('a schema app, and no record of migrations');
  for (const [name, tables] of known) {
    const ran = recorded.has(name);
    const odd = tables.find((table) => present.has(table) !== ran);
    if (odd) throw new UnknownSchemaError(ran ? `no table ${odd}` : `table ${odd}`);
  }
  return recorded;
}

/**
 * The release of the schema, if that is a later one than this: the programs have gone back to this one.
 * @throws UnknownSchemaError if this one cannot use it
 */
async function laterRelease(runner: QueryRunner, release: string): Promise<string | undefined> {
  const present = await appliedRelease(runner);
  if (present === undefined || !isLater(present.release, release)) return undefined;
  if (isLater(present.usableFrom, release)) {
    throw new UnknownSchemaError(
      `functions of release ${present.release}, which ${present.usableFrom} and later can use`,
    );
  }
  return present.release;
}

/** Whether a release, such as `1.10.0`, is later than another. */
function isLater(release: string, other: string): boolean {
  return release.localeCompare(other, 'en', { numeric: true }) > 0;
}

async function names(runner: QueryRunner, sql: string): Promise<string[]> {
  return ((await runner.query(sql)) as { name: string }[]).map(({ name }) => name);
}

/**
 * Nobody but the owner may make objects whose names could be taken for ours. Done at every run, also on a schema of a later release, and
 * not by a migration: a database's own rights are not copied by a template or a dump.
 */
async function restrictDatabase(runner: QueryRunner): Promise<void> {
  const [{ name }] = (await runner.query(`select quote_ident(current_database()) as name`)) as [{ name: string }];
  await runner.query(`revoke temporary, create on database ${name} from public`);
  await runner.query(`revoke create on schema public from public`);
}

/** The statements that would make the database match the entities: none, as long as no migration is missing. */
export async function pendingSchemaChanges(dataSource: DataSource): Promise<string[]> {
  const changes = await dataSource.driver.createSchemaBuilder().log();
  return changes.upQueries.map(({ query }) => query);
}
