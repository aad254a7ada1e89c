import { randomBytes } from 'node:crypto';
import { DataSource } from 'typeorm';
import { migrateSchema } from '@schema';
import { type AppConfig, loadConfig } from '@platform/config';
import { assertDatabaseFit, clientSettings } from '@platform/database';
import { databaseOn, databaseServer, onEveryNode, onNode } from '@test/database-server';
import { describeOnCluster } from '@test/kinds-of-server';
import { addNode, beginCluster } from '@test/template-database';

/** What everybody may do in the database, by the functions' names. */
const OPEN_TO_EVERYBODY = `
  select 'temporary tables' as name where has_database_privilege('public', current_database(), 'temporary')
  union all
  select p.oid::regprocedure::text from pg_proc p
  where p.pronamespace = 'app'::regnamespace and has_function_privilege('public', p.oid, 'execute') order by 1`;

/** Each function, whose rights it has, and who may call it. */
const FUNCTIONS = `
  select p.oid::regprocedure::text as name, prosecdef, pg_get_userbyid(proowner) as owner,
    has_function_privilege('customer_api', p.oid, 'execute') as api,
    has_function_privilege('account_operator', p.oid, 'execute') as operator
  from pg_proc p where p.pronamespace = 'app'::regnamespace order by 1`;

describeOnCluster('a node that is added after the migrations', () => {
  const name = `test_${randomBytes(6).toString('hex')}`;
  let config: AppConfig;
  let coordinator: string;
  let first: string;
  let added: string;

  beforeAll(async () => {
    [coordinator = '', first = '', added = ''] = (await databaseServer()).nodes.map((node) => databaseOn(node, name));
    await onEveryNode(`create database ${name}`);
    await beginCluster(coordinator);
    await addNode(coordinator, first);
    config = loadConfig({ NODE_ENV: 'test', DATABASE_URL: coordinator });
    await migrateSchema(config);
    await addNode(coordinator, added);
  }, 300_000);
  afterAll(() => onEveryNode(`drop database ${name} with (force)`));

  async function start(role: 'customer_api' | 'account_operator'): Promise<string[]> {
    const { options } = clientSettings(config, role);
    const source = await new DataSource({ type: 'postgres', url: coordinator, extra: { options } }).initialize();
    try {
      return await assertDatabaseFit(source, role, config);
    } finally {
      await source.destroy();
    }
  }

  it.each(['customer_api', 'account_operator'] as const)('keeps the programs from starting: %s', async (role) => {
    const { host } = new URL(added);
    await expect(start(role)).rejects.toThrow(`on ${host}, which became a node of the cluster`);
  });

  it('has the rights of the others after the next migration, and the programs start', async () => {
    await migrateSchema(config);
    for (const node of [coordinator, first, added]) expect(await onNode(node, OPEN_TO_EVERYBODY)).toEqual([]);
    expect(await onNode(added, FUNCTIONS)).toEqual(await onNode(coordinator, FUNCTIONS));
    await expect(start('account_operator')).resolves.toEqual([]);
    await expect(start('customer_api')).resolves.toBeDefined();
  });
});
