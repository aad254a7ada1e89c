import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { migrateSchema } from '@schema';
import { loadConfig } from '@platform/config';
import { describeOnOneServer } from '@test/kinds-of-server';
import { useTestDatabase } from '@test/use-test-database';

/** Each function of ours: its text and settings, whose rights it has, and who may call it. */
const FUNCTIONS = `
  select p.oid, p.oid::regprocedure::text as name, prosrc, pg_get_function_sqlbody(p.oid) as body, proconfig, prosecdef,
    pg_get_userbyid(proowner) as owner,
    has_function_privilege('public', p.oid, 'execute') as everybody,
    has_function_privilege('customer_api', p.oid, 'execute') as api,
    has_function_privilege('account_operator', p.oid, 'execute') as operator
  from pg_proc p where p.pronamespace = 'app'::regnamespace order by 2`;

const database = useTestDatabase();

describe('the functions of a database that another version has migrated', () => {
  const functions = async () => (await database.superuser.query<{ name: string; prosrc: string }>(FUNCTIONS)).rows;
  /** As if this version had never been applied. */
  const forget = () => database.superuser.query(`comment on schema app is 'functions of another version'`);

  it('become those of this version: texts, rights, and none besides', async () => {
    const before = await functions();
    await database.superuser.query(`
      create or replace function app.ai_spendable(p_included numeric, p_limit_left numeric, p_purchased numeric)
        returns numeric language sql immutable as $$ select 1000000.0 $$;
      grant execute on function app.ai_credit to customer_api;
      grant execute on function app.ai_settle to public;
      create function app.ai_forgotten() returns void language sql as $$ select $$;
      create function app.close_support_ticket(p_ticket uuid) returns void language sql as $$ select $$`);
    expect(await functions()).not.toEqual(before);
    await forget();
    expect(await migrateSchema(database.config)).toMatchObject({ applied: [] });
    expect(await functions()).toEqual(before);
  });

  it('are left alone by a further start of the same version', async () => {
    const written = async () =>
      (
        await database.superuser.query(
          `select oid, xmin from pg_proc where pronamespace = 'app'::regnamespace order by 1`,
        )
      ).rows;
    const before = await written();
    await migrateSchema(database.config);
    expect(await written()).toEqual(before);
  });

  it.each([
    [
      'the text',
      `create or replace function app.first_id(moment timestamptz) returns uuid language sql as 'select null::uuid'`,
    ],
    ['a setting', `alter function app.ai_settle reset all`],
    ['the rights of its owner', `alter function app.ai_settle security invoker`],
    ['its owner', `alter function app.ai_settle owner to current_user`],
    ['a right to call it', `grant execute on function app.ai_credit to public`],
    ['a right that is missing', `revoke execute on function app.ai_settle from customer_api`],
  ])('get back, at a start of the same version, %s that was changed by hand', async (_, change) => {
    const before = await functions();
    await database.superuser.query(change);
    expect(await functions()).not.toEqual(before);
    await migrateSchema(database.config);
    expect(await functions()).toEqual(before);
  });

  it('may have another result, other names of parameters or fewer defaults', async () => {
    const before = (await functions()).map(({ name, prosrc }) => [name, prosrc]);
    await database.superuser.query(`
      drop function app.ai_spendable, app.first_id(timestamptz);
      create function app.ai_spendable(p_included numeric, p_limit_left numeric, p_purchased numeric)
        returns text language sql immutable as $$ select 'much' $$;
      create function app.first_id(p_other timestamptz default now()) returns uuid language sql as $$ select null::uuid $$`);
    await forget();
    await migrateSchema(database.config);
    expect((await functions()).map(({ name, prosrc }) => [name, prosrc])).toEqual(before);
  });

  it('are not put back by a former release, which changes nothing', async () => {
    const { rows } = await database.superuser.query<{ comment: string }>(
      `select obj_description('app'::regnamespace, 'pg_namespace') as comment`,
    );
    const own = rows[0]?.comment ?? '';
    expect(own).toContain('functions of release 1.');
    await database.superuser.query(`
      create or replace function app.ai_spendable(p_included numeric, p_limit_left numeric, p_purchased numeric)
        returns numeric language sql immutable as $$ select 7.0 $$;
      insert into schema_migration (timestamp, name) values (9999999999999, 'OfRelease10');
      comment on schema app is '${own.replace('release 1.', 'release 10.')}'`);
    const before = await functions();
    // As it is in a database that a backup was restored into.
    await database.superuser.query(
      `do $$ begin execute format('grant temporary on database %I to public', current_database()); end $$`,
    );
    expect(await migrateSchema(database.config)).toMatchObject({ applied: [], later: expect.stringMatching(/^10\./) });
    expect(await functions()).toEqual(before);
    const right = `select has_database_privilege('public', current_database(), 'temporary') as everybody`;
    expect((await database.superuser.query(right)).rows).toEqual([{ everybody: false }]);
    await database.superuser.query(
      `comment on schema app is '${own.replace('release 1.', 'release 10.').replace('from 1.', 'from 9.')}'`,
    );
    const refused = expect(migrateSchema(database.config)).rejects;
    await refused.toThrow(/made by another version .*functions of release 10\..*, which 9\..* and later can use/);
    expect(await functions()).toEqual(before);
    await database.superuser.query(`delete from schema_migration where name = 'OfRelease10'`);
    await forget();
    await migrateSchema(database.config);
  });

  it('are all of one version or all of the other: a failure leaves every one as it was', async () => {
    await database.superuser.query(`
      create function app.ai_kept() returns integer language sql return 1;
      create function app.ai_uses_it() returns integer language sql return app.ai_kept();
      create view public.uses as select app.ai_uses_it()`);
    await database.superuser.query(
      `create or replace function app.ai_spendable(p_included numeric, p_limit_left numeric, p_purchased numeric)
         returns numeric language sql immutable as $$ select 0.0 $$`,
    );
    await forget();
    const before = await functions();
    await expect(migrateSchema(database.config)).rejects.toThrow('cannot drop function');
    expect(await functions()).toEqual(before);
    await database.superuser.query(`drop view public.uses; drop function app.ai_uses_it; drop function app.ai_kept`);
    await migrateSchema(database.config);
  });

  it('stay callable meanwhile, by statements that were prepared before', async () => {
    const api = new Client({ connectionString: database.url, options: '-c role=customer_api' });
    await api.connect();
    const call = () =>
      api.query({
        name: 'beat',
        text: 'select app.process_heartbeat($1)',
        values: ['00000000-0000-4000-8000-000000000000'],
      });
    try {
      await call();
      await forget();
      const migrated = migrateSchema(database.config).then(() => 'migrated');
      while ((await Promise.race([migrated, call().then(({ rowCount }) => rowCount)])) === 1);
      await migrated;
      expect((await call()).rowCount).toBe(1);
    } finally {
      await api.end();
    }
  });
});

describeOnOneServer('an owner that is no superuser', 'there the owner must be one', () => {
  it('migrates, and applies the functions again', async () => {
    const name = `owner_${randomBytes(4).toString('hex')}`;
    await database.superuser.query(`create role ${name} login createrole password 'secret'`);
    // As an administrator makes it: the programs' roles are there already.
    await database.superuser.query(`grant customer_api, account_operator to ${name}`);
    await database.superuser.query(`create database ${name} owner ${name}`);
    try {
      const url = new URL(database.url);
      Object.assign(url, { username: name, password: 'secret', pathname: `/${name}` });
      const config = loadConfig({ NODE_ENV: 'test', DATABASE_URL: url.href });
      expect((await migrateSchema(config)).applied.length).toBeGreaterThan(5);
      const owner = new Client({ connectionString: url.href });
      await owner.connect();
      await owner.query(`comment on schema app is 'functions of another version'`);
      await owner.end();
      expect(await migrateSchema(config)).toMatchObject({ applied: [] });
    } finally {
      await database.superuser.query(`drop database ${name} with (force)`);
      await database.superuser.query(`drop role ${name}`);
    }
  });
});
