import { globSync, readFileSync } from 'node:fs';
import { Client } from 'pg';
import { migrateSchema, migrations } from '@schema';
import type { FunctionAccess } from '@platform/database';
import { QUEUE_FUNCTIONS } from '@platform/jobs';
import { generateToken, hashToken } from '@platform/tokens';
import { saveFakeCustomer } from '@test/factories/customer.factory';
import { createApiLogin } from '@test/test-database';
import { useTestDatabase } from '@test/use-test-database';

/** It sets the present customer and names no table; all others that write, or run with their owner's rights, are pinned. */
const SET_ONLY = ['app.set_customer(uuid)'];

const database = useTestDatabase();

describe('a function of the schema', () => {
  it('that writes, or runs with its owner’s rights, fixes what its names mean, temporary objects last', async () => {
    const { rows } = await database.superuser.query<{ signature: string; path: string }>(`
      select p.oid::regprocedure::text as signature,
        (select split_part(s, '=', 2) from unnest(p.proconfig) s where s like 'search_path=%') as path
      from pg_proc p join pg_namespace n on n.oid = p.pronamespace
      where n.nspname not in ('pg_catalog', 'information_schema')
        -- The job queue's own run with their caller's rights, and the API does not call them.
        and (p.prosecdef or (p.provolatile = 'v' and n.nspname <> 'pgboss'))
        -- Nor are those of an extension ours.
        and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
        -- A body that was parsed when the function was made has no names left.
        and (p.prosecdef or p.prosqlbody is null)`);
    const pinned = rows.filter(({ signature }) => !SET_ONLY.includes(signature));
    expect(rows.length - pinned.length).toBe(SET_ONLY.length);
    expect(pinned.length).toBeGreaterThan(5);
    expect(pinned.filter(({ path }) => path !== 'pg_catalog, public, pg_temp')).toEqual([]);
  });

  it('is called by the roles that its migration names, and by nobody else', async () => {
    const files = [...migrations.flatMap((migration) => new migration().functions), ...QUEUE_FUNCTIONS];
    const declared = files.map(({ functions }) => functions);
    const callers = Object.entries(Object.assign({}, ...declared) as Record<string, FunctionAccess>).map(
      ([name, { roles = ['account_operator', 'customer_api'] }]) => ({ name, roles: [...roles].sort() }),
    );
    expect(callers.length).toBeGreaterThan(100);
    const { rows } = await database.superuser.query(`
      select p.proname as name, array(
        select r from unnest('{account_operator,customer_api,public}'::text[]) r where has_function_privilege(r, p.oid, 'execute')
      ) as roles
      from pg_proc p where p.pronamespace = 'app'::regnamespace`);
    const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);
    expect(rows.sort(byName)).toEqual(callers.sort(byName));
  });

  it('is declared volatile if it writes, so that the rule above sees it', async () => {
    const { rows } = await database.superuser.query(`
      select p.oid::regprocedure from pg_proc p where p.pronamespace = 'app'::regnamespace and p.provolatile <> 'v'
        and p.prosrc ~* '\\m(insert into|delete from|update [a-z_]+ (as )?([a-z]+ )?set|execute)\\M'`);
    expect(rows).toEqual([]);
  });

  it('of a domain is named by no file of the platform, which domains build on', () => {
    const texts = (pattern: string) => globSync(pattern).map((path) => ({ path, text: readFileSync(path, 'utf8') }));
    const named = (text: string, expression: RegExp) => [...text.matchAll(expression)].map(([, name = '']) => name);
    const definition = /^create or replace function app\.(\w+)\(/gm;
    const ofDomains = new Set(texts('libs/domains/**/*.sql').flatMap(({ text }) => named(text, definition)));
    expect(ofDomains.size).toBeGreaterThan(50);
    const crossing = texts('libs/platform/**/*.{ts,sql}').flatMap(({ path, text }) =>
      named(text, /\bapp\.(\w+)/g)
        .filter((name) => ofDomains.has(name))
        .map((name) => `${path}: app.${name}`),
    );
    expect(crossing).toEqual([]);
  });

  describe('called by the API’s own login', () => {
    const token = generateToken();
    let login: Client;

    /** Creates a temporary table with the caller's own token in front of the real one, and authenticates. */
    async function impersonate(): Promise<unknown[]> {
      const { id } = await saveFakeCustomer(database.superuser);
      await login.query(`create temporary table service_token as
        select gen_random_uuid() as id, '${id}'::uuid as customer_id, '\\x${hashToken(token).toString('hex')}'::bytea as token_hash,
          array['ai:use'] as scopes, true as active, null::timestamptz as expires_at`);
      await login.query('grant all on service_token to public');
      return (await login.query('select * from app.authenticate($1)', [hashToken(token)])).rows;
    }

    beforeAll(async () => {
      login = new Client({ connectionString: await createApiLogin(database), options: '-c role=customer_api' });
      await login.connect();
    });
    afterAll(() => login.end());

    it('cannot be given other tables: it may make none', async () => {
      await expect(impersonate()).rejects.toMatchObject({ code: '42501' });
      for (const object of [
        'table public.service_token2 (a integer)',
        'function app.f() returns void language sql as $$$$',
      ])
        await expect(login.query(`create ${object}`)).rejects.toMatchObject({ code: '42501' });
    });

    it('would not look at them if it might', async () => {
      const name = new URL(database.url).pathname.slice(1);
      await database.superuser.query(`grant temporary on database ${name} to public`);
      try {
        expect(await impersonate()).toEqual([]);
      } finally {
        await migrateSchema(database.config);
      }
      await expect(login.query('create temporary table another (a integer)')).rejects.toMatchObject({ code: '42501' });
    });
  });
});
