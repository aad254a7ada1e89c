import type { DynamicModule, INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { QueryResultRow } from 'pg';
import { DataSource, getMetadataArgsStorage } from 'typeorm';
import { AiOperatorModule } from '@domains/ai';
import { CreditRequestsOperatorModule } from '@domains/credit-requests';
import { EventsOperatorModule } from '@domains/events';
import { InvoicesOperatorModule, InvoiceSyncModule } from '@domains/invoices';
import { ServicesOperatorModule } from '@domains/services';
import { SmsOperatorModule } from '@domains/sms';
import { StatusOperatorModule } from '@domains/status';
import { SupportOperatorModule } from '@domains/support';
import type { AppConfig } from '@platform/config';
import { pendingSchemaChanges } from '@platform/database';
import { TokensOperatorModule } from '@platform/tokens';
import { ON_CLUSTER } from '@test/kinds-of-server';
import { useTestDatabase } from '@test/use-test-database';
import { AppModule } from '../../apps/customer-api/src/app.module';
import { AppModule as OperatorApiModule } from '../../apps/operator-api/src/app.module';
import { openApplication } from '../../apps/operator/src/run-command';
import { WorkerModule } from '../../apps/worker/src/worker.module';

/**
 * Tables that a cluster would copy to every worker instead of distributing them, so their keys need not start with the
 * customer.
 */
const REFERENCE_TABLES = ['customer', 'service_token'];
/** Tables that belong to no customer. */
const SHARED_TABLES = [
  'ai_model_price',
  'ai_verification',
  'backup',
  'billing_zone',
  'invoice_number',
  'liveness_clock',
  'operator_account',
  'operator_login_attempt',
  'operator_login_link',
  'operator_passkey',
  'operator_request_key',
  'operator_session',
  'process_liveness',
  'schema_migration',
];

/** What a row must meet besides, to exist for the API. */
const HIDDEN: Record<string, string> = {
  invoice: `(status <> 'draft'::text)`,
  support_ticket_reply: '(NOT internal)',
};

const CUSTOMER_TABLES = `
  select c.oid, c.relname as name, c.relrowsecurity as secured, c.relforcerowsecurity as forced
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p') and n.nspname = 'public'
    and (c.relname = 'customer' or exists (
      select from pg_attribute a where a.attrelid = c.oid and a.attname = 'customer_id' and not a.attisdropped))`;

/** What the operator's commands open, each its own. */
const OPERATOR_MODULES = [
  ...[AiOperatorModule, CreditRequestsOperatorModule, InvoicesOperatorModule, InvoiceSyncModule, SmsOperatorModule],
  ...[EventsOperatorModule, ServicesOperatorModule, StatusOperatorModule, SupportOperatorModule, TokensOperatorModule],
];

const database = useTestDatabase();
const create = (module: DynamicModule) =>
  NestFactory.createApplicationContext(module, { logger: false, abortOnError: false });

describe('the schema', () => {
  const rows = async <Row extends QueryResultRow>(sql: string) => (await database.superuser.query<Row>(sql)).rows;
  const names = async (sql: string) => (await rows<{ name: string }>(sql)).map(({ name }) => name).sort();
  const among = (tables: string[]) => `(${tables.map((table) => `'${table}'`).join(', ')})`;

  describe.each<[string, (config: AppConfig) => Promise<INestApplicationContext>]>([
    ['API', (config) => create(AppModule.with(config))],
    ['operator', (config) => openApplication(config, OPERATOR_MODULES)],
    ['operator API', (config) => create(OperatorApiModule.with(config))],
    ['worker', (config) => create(WorkerModule.with(config))],
  ])("of the %s's entities", (_app, open) => {
    it('is what the migrations make: a generated migration would be empty', async () => {
      const app = await open(database.config);
      try {
        const { options, entityMetadatas } = app.get(DataSource);
        const entities = entityMetadatas.map(({ target }) => target);
        expect(entities.length).toBeGreaterThan(0);
        // As the owner: other roles see only the tables that they may use.
        const owner = await new DataSource({ ...options, extra: {}, entities }).initialize();
        expect(await pendingSchemaChanges(owner)).toEqual([]);
        await owner.destroy();
      } finally {
        await app.close();
      }
    });
  });

  it('knows of every table whether it is a customer’s', async () => {
    const all = await names(`select tablename as name from pg_tables where schemaname = 'public'`);
    const owned = await names(`select name from (${CUSTOMER_TABLES}) t`);
    expect(all.filter((name) => !owned.includes(name))).toEqual(SHARED_TABLES.filter((name) => all.includes(name)));
  });

  it('forces row level security on every customer-owned table', async () => {
    const tables = await rows<{ name: string; secured: boolean; forced: boolean }>(CUSTOMER_TABLES);
    expect(tables.length).toBeGreaterThan(10);
    expect(tables.filter(({ secured, forced }) => !secured || !forced)).toEqual([]);
  });

  it('has one policy on each that lets the API in, for reading and for writing, and it compares the customer', async () => {
    const policies = await rows<{ name: string; cmd: string; qual: string; with_check: string }>(`
      select tablename as name, cmd, qual, with_check from pg_policies
      where schemaname = 'public' and 'customer_api' = any(roles) order by tablename`);
    expect(policies.map(({ name }) => name).sort()).toEqual(await names(`select name from (${CUSTOMER_TABLES}) t`));
    for (const { name, cmd, qual, with_check } of policies) {
      const column = name === 'customer' ? 'id' : 'customer_id';
      const own = `(${column} = (NULLIF(current_setting('app.customer_id'::text, true), ''::text))::uuid)`;
      const further = HIDDEN[name];
      const condition = further ? `(${own} AND ${further})` : own;
      expect({ name, cmd, qual, with_check }).toEqual({ name, cmd: 'ALL', qual: condition, with_check: condition });
    }
  });

  it('has no policy for everyone', async () => {
    expect(await names(`select tablename as name from pg_policies where 'public' = any(roles)`)).toEqual([]);
  });

  it("holds the service's roles to row level security, and lets none of them own a table", async () => {
    expect(
      await names(`select rolname as name from pg_roles where rolname in ('customer_api', 'account_operator')
        and (rolsuper or rolbypassrls or rolcreaterole or rolcreatedb)`),
    ).toEqual([]);
    // The nodes of a cluster log in with them at one another, and nobody else.
    expect(
      await names(
        `select rolname as name from pg_roles where rolname in ('customer_api', 'account_operator') and rolcanlogin`,
      ),
    ).toEqual(ON_CLUSTER ? ['account_operator', 'customer_api'] : []);
    expect(
      await names(`select tablename as name from pg_tables where tableowner in ('customer_api', 'account_operator')`),
    ).toEqual([]);
  });

  it('keeps the hashes of tokens and the audit log from being read by the API', async () => {
    const mayRead = await names(
      `select table_name || '.' || column_name as name from information_schema.column_privileges
       where grantee = 'customer_api' and privilege_type = 'SELECT' and table_name in ('service_token', 'audit_log')`,
    );
    expect(mayRead).toEqual([]);
  });

  it('starts every primary and unique key of a customer-owned table with the customer', async () => {
    expect(
      await names(`
        select t.name || ': ' || i.indexrelid::regclass as name from pg_index i join (${CUSTOMER_TABLES}) t on t.oid = i.indrelid
        join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
        where i.indisunique and a.attname <> 'customer_id' and t.name not in ${among(REFERENCE_TABLES)}`),
    ).toEqual([]);
  });

  it('has a primary key on every table', async () => {
    expect(
      await names(`select relname as name from pg_class c where relkind = 'r' and relnamespace = 'public'::regnamespace
        and not exists (select from pg_index where indrelid = c.oid and indisprimary)`),
    ).toEqual([]);
  });

  it('requires a customer in every row', async () => {
    expect(
      await names(`select t.name from (${CUSTOMER_TABLES}) t join pg_attribute a on a.attrelid = t.oid
        where a.attname = 'customer_id' and not a.attnotnull`),
    ).toEqual([]);
  });

  it('carries the customer in every foreign key between customer-owned tables', async () => {
    expect(
      await names(`
        select f.conname as name from pg_constraint f
        join (${CUSTOMER_TABLES}) t on t.oid = f.conrelid join (${CUSTOMER_TABLES}) r on r.oid = f.confrelid
        where f.contype = 'f' and r.name not in ${among(REFERENCE_TABLES)} and not (
          (select attname from pg_attribute where attrelid = f.conrelid and attnum = f.conkey[1]) = 'customer_id'
          and (select attname from pg_attribute where attrelid = f.confrelid and attnum = f.confkey[1]) = 'customer_id')`),
    ).toEqual([]);
  });

  it('has every index that an entity names', async () => {
    const declared = getMetadataArgsStorage().indices.flatMap(({ name }) => name ?? []);
    expect(declared.length).toBeGreaterThan(10);
    const there = await names(`select indexname as name from pg_indexes where schemaname = 'public'`);
    expect(declared.filter((name) => !there.includes(name))).toEqual([]);
  });

  it('has an index that begins with the columns of each foreign key', async () => {
    expect(
      await names(`
        select conname as name from pg_constraint f
        where contype = 'f' and connamespace <> 'pgboss'::regnamespace and not exists (
          select from pg_index i where i.indrelid = f.conrelid
            and (i.indpred is null or pg_get_expr(i.indpred, i.indrelid) ~ '^\\(\\w+ IS NOT NULL\\)$')
            and (i.indkey::smallint[])[0:cardinality(f.conkey) - 1] @> f.conkey)`),
    ).toEqual([]);
  });

  it('has no trigger, no ON DELETE SET NULL, and no column filled by a volatile default but identity', async () => {
    // A cluster's own catalogue aside.
    expect(
      await names(`select tgname as name from pg_trigger t join pg_class c on c.oid = t.tgrelid
        where not tgisinternal and relnamespace <> 'pg_catalog'::regnamespace`),
    ).toEqual([]);
    expect(
      await names(
        `select conname as name from pg_constraint where contype = 'f' and (confdeltype in ('n', 'd') or confupdtype <> 'a')`,
      ),
    ).toEqual([]);
    expect(
      await names(`select d.adrelid::regclass || '.' || a.attname as name from pg_attrdef d
        join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum
        where pg_get_expr(d.adbin, d.adrelid) ~ 'nextval|random|gen_random|clock_timestamp'
          and a.attrelid not in (select oid from pg_class where relnamespace in ('pgboss'::regnamespace, 'pg_catalog'::regnamespace))
          and d.adrelid <> 'schema_migration'::regclass`),
    ).toEqual([]);
  });

  it('lets only the service’s roles call its functions', async () => {
    expect(
      await names(`select p.oid::regprocedure::text as name from pg_proc p where pronamespace = 'app'::regnamespace
        and has_function_privilege('public', p.oid, 'execute')`),
    ).toEqual([]);
    expect(
      await names(`select p.oid::regprocedure::text as name from pg_proc p where pronamespace = 'app'::regnamespace
        and prosecdef and not exists (select from unnest(proconfig) s where s like 'search_path=%')`),
    ).toEqual([]);
  });
});
