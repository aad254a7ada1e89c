import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import type { QueryRunner } from 'typeorm';
import { migrateSchema, migrations } from '@schema';
import { type AppConfig, loadConfig } from '@platform/config';
import { ForwardMigration, migrateDatabase, UnknownSchemaError } from '@platform/database';
import { QUEUE_FUNCTIONS } from '@platform/jobs';
import { explainStartFailure } from '@platform/process';
import { holdLock, waitForLocks } from '@test/locks';
import { connectAsSuperuser, createTestDatabase, type TestDatabase } from '@test/test-database';

/** The first and the last of the migrations before there was one for each domain, and tables that they made. */
const FORMER = `
  create schema app;
  create table schema_migration (id serial primary key, "timestamp" bigint not null, name varchar not null);
  insert into schema_migration ("timestamp", name) values
    (1763683200000, 'Foundation1763683200000'), (1763684010000, 'AiLedgerFunctionsAudited1763684010000');
  create table customer (id uuid primary key);
  create table ai_hold (customer_id uuid not null, id uuid not null, primary key (customer_id, id));
  insert into customer values ('00000000-0000-4000-8000-000000000001')`;

/** All that a database consists of, but for what changes by itself. */
const CONTENTS = `
  select relnamespace::regnamespace::text as schema, relname as name, relkind as kind, relacl::text as rights
  from pg_class where relnamespace::regnamespace::text in ('public', 'app', 'pgboss')
  union all select pronamespace::regnamespace::text, proname, 'f', proacl::text from pg_proc
  where pronamespace::regnamespace::text in ('public', 'app', 'pgboss')
  union all select 'database', 'rights', 'd', datacl::text from pg_database where datname = current_database()
  union all select 'schema', nspname, 's', nspacl::text from pg_namespace where nspname !~ '^pg_'
  order by 1, 2, 3, 4`;

/** A migration of the release to come. */
class NotedTickets1763683299000 extends ForwardMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table support_ticket add column noted boolean');
  }
}

describe('migrating a database that another version made', () => {
  let database: TestDatabase;
  let client: Client;
  let config: AppConfig;
  beforeEach(async () => {
    database = await createTestDatabase();
    client = await connectAsSuperuser(database);
    config = database.config;
  });
  afterEach(async () => {
    await client.end();
    await database.drop();
  });

  /** Tries, and makes sure that nothing was changed. @returns what the operator is told */
  async function refusal(): Promise<string> {
    const before = (await client.query(CONTENTS)).rows;
    const error: unknown = await migrateSchema(config).catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(UnknownSchemaError);
    expect((await client.query(CONTENTS)).rows).toEqual(before);
    return explainStartFailure(error);
  }

  it('says what to do, in one line, and changes nothing', async () => {
    const name = `former_${randomBytes(4).toString('hex')}`;
    await client.query(`create database ${name}`);
    const url = database.url.replace(/\/[^/]+$/, `/${name}`);
    const former = new Client({ connectionString: url });
    await former.connect();
    try {
      await former.query(FORMER);
      const before = (await former.query(CONTENTS)).rows;
      const error: unknown = await migrateSchema(loadConfig({ NODE_ENV: 'test', DATABASE_URL: url })).catch(
        (failure: unknown) => failure,
      );
      expect(explainStartFailure(error)).toMatch(
        /^The database was made by another version .*Foundation1763683200000.*nothing in it was changed\. .*DATABASE_URL.*\.data\/postgres.*$/,
      );
      expect((await former.query(CONTENTS)).rows).toEqual(before);
      expect((await former.query('select from customer')).rowCount).toBe(1);
    } finally {
      await former.end();
      await client.query(`drop database ${name}`);
    }
  });

  it('compares the schema, where the names of migrations tell nothing', async () => {
    await client.query('alter table ai_reservation rename to ai_hold');
    expect(await refusal()).toContain('no table ai_reservation');
  });

  it('is not fooled by a database without a record of migrations', async () => {
    await client.query('drop table schema_migration');
    expect(await refusal()).toContain('no record of migrations');
  });

  it("does not take another program's table for ours", async () => {
    await client.query(`delete from schema_migration where name like 'SmsSchema%'`);
    expect(await refusal()).toContain('table sms_settings');
  });

  it("waits for a backup's lock only so long that those who use the table wait little, and says why it gives up", async () => {
    // TypeORM tells of each failure.
    jest.spyOn(console, 'log').mockReturnValue();
    const LAST_OF_TOKENS = 'ToldTokenExpiries1763683201630';
    await client.query('alter table service_token drop column expiry_told_days');
    await client.query('delete from schema_migration where name = $1', [LAST_OF_TOKENS]);
    const release = await holdLock(database, 'lock table service_token in access share mode');
    const customers = await connectAsSuperuser(database);
    const migration = { isOver: false };
    const migrated = migrateSchema(config)
      .catch((failure: unknown) => failure)
      .finally(() => (migration.isOver = true));
    let [longest, delayed] = [0, 0];
    while (!migration.isOver) {
      const began = performance.now();
      await customers.query('select from service_token');
      const ms = performance.now() - began;
      longest = Math.max(longest, ms);
      if (ms > 1000) delayed++;
      // Leaves the processors to others.
      await delay(20);
    }
    await customers.end();
    expect(longest).toBeLessThan(4000);
    expect(delayed).toBeGreaterThan(1);
    expect(explainStartFailure(await migrated)).toMatch(
      /^Tables to be migrated are in use .*alter table service_token add column.*again when it has ended$/,
    );
    const again = migrateSchema(config);
    await waitForLocks(client, 1);
    await release();
    expect(await again).toMatchObject({ applied: [LAST_OF_TOKENS] });
  });

  it('stays usable for the former release after one of several migrations has failed, and goes on with it later', async () => {
    jest.spyOn(console, 'log').mockReturnValue();
    const former = migrations.slice(0, -1);
    const next = [...migrations, NotedTickets1763683299000];
    await client.query(`
      drop table billing_zone;
      delete from schema_migration where name = 'BillingZone1763683207300';
      comment on schema app is 'functions of release 1.0.0, usable from 1.0.0, 0f 0f'`);
    const migrate = (all: typeof next, release: string) =>
      migrateDatabase(config, all, { release, usableFrom: '1.0.0', files: QUEUE_FUNCTIONS });
    const release = await holdLock(database, 'lock table support_ticket in access share mode');
    await expect(migrate(next, '1.1.0')).rejects.toThrow('Tables to be migrated are in use');
    expect(await migrate(former, '1.0.0')).toEqual({ applied: [], later: '1.1.0' });
    await release();
    expect(await migrate(next, '1.1.0')).toEqual({ applied: ['NotedTickets1763683299000'] });
    expect(await migrate(next, '1.1.0')).toEqual({ applied: [] });
    expect(await migrate(former, '1.0.0')).toEqual({ applied: [], later: '1.1.0' });
  });

  it('has nothing to do where everything is up to date', async () => {
    expect(await migrateSchema(config)).toMatchObject({ applied: [] });
  });
});
