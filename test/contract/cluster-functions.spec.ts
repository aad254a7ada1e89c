import { onNode } from '@test/database-server';
import { describeOnCluster } from '@test/kinds-of-server';
import { useTestDatabase } from '@test/use-test-database';

/** Each function of ours: its text and settings, whose rights it has, and who may call it. */
const FUNCTIONS = `
  select p.oid::regprocedure::text as name, md5(prosrc) as text, proconfig, prosecdef, pg_get_userbyid(proowner) as owner,
    has_function_privilege('public', p.oid, 'execute') as everybody,
    has_function_privilege('customer_api', p.oid, 'execute') as api,
    has_function_privilege('account_operator', p.oid, 'execute') as operator
  from pg_proc p where p.pronamespace = 'app'::regnamespace order by 1`;

/** What the programs' roles have set when the coordinator connects as one of them. */
const ROLES = `
  select rolname as role, rolcanlogin as login, rolconfig as settings from pg_roles
  where rolname in ('customer_api', 'account_operator') order by 1`;

const database = useTestDatabase();

describeOnCluster('the workers of a cluster', () => {
  it('have every function of the coordinator, with the same rights', async () => {
    const onCoordinator = await onNode<{ name: string }>(database.url, FUNCTIONS);
    expect(onCoordinator.length).toBeGreaterThan(30);
    for (const worker of database.workers) expect(await onNode(worker, FUNCTIONS)).toEqual(onCoordinator);
  });

  it('let the programs’ roles log in, and compile no statement for them', async () => {
    for (const worker of database.workers) {
      expect(await onNode(worker, ROLES)).toEqual(
        ['account_operator', 'customer_api'].map((role) => ({ role, login: true, settings: ['jit=off'] })),
      );
    }
  });
});
