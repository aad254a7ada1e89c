import type { DataSource } from 'typeorm';
import type { AppConfig } from '@platform/config';
import { NotMigratedError, UnfitDatabaseError } from './database-errors';

interface Rights {
  role: string;
  login: string;
  role_bypasses: boolean;
  role_may_create: boolean;
  login_exceeds: boolean;
  on_cluster: boolean;
  customer_stays_on_coordinator: boolean;
}

const MAY_CREATE = (user: string) => `(has_database_privilege(${user}, current_database(), 'temporary')
  or has_schema_privilege(${user}, 'public', 'create') or has_schema_privilege(${user}, 'app', 'create'))`;

const RIGHTS = `
  select current_user as role, session_user as login,
    role.rolsuper or role.rolbypassrls as role_bypasses,
    ${MAY_CREATE('current_user')} as role_may_create,
    login.rolsuper or login.rolbypassrls or ${MAY_CREATE('session_user')} or exists (
      select from pg_roles o where o.rolname = 'account_operator' and pg_has_role(session_user, o.oid, 'member')
    ) as login_exceeds,
    exists (select from pg_extension where extname = 'citus') as on_cluster,
    exists (select from pg_extension where extname = 'citus')
      and current_setting('citus.propagate_set_commands', true) is distinct from 'local' as customer_stays_on_coordinator
  from pg_roles role, pg_roles login where role.rolname = current_user and login.rolname = session_user`;

/** Nodes of a cluster on which everybody may call our functions or make temporary tables. One that does not answer is left out. */
const OPEN_NODES = `
  select nodename || ':' || nodeport as node from run_command_on_workers($$
    select has_database_privilege('public', current_database(), 'temporary') or exists (
      select from pg_proc p join pg_namespace n on n.oid = p.pronamespace
      where n.nspname = 'app' and has_function_privilege('public', p.oid, 'execute'))
  $$) where success and result = 't' order by 1`;

/**
 * Checks that the process may run on the database. @returns faults that only production must refuse, for the operator.
 * @throws NotMigratedError without a schema; UnfitDatabaseError if the role has too many or too few rights, or the database is of another
 * billing time zone
 */
export async function assertDatabaseFit(
  dataSource: DataSource,
  role: 'customer_api' | 'account_operator',
  config: Pick<AppConfig, 'BILLING_TIMEZONE'>,
): Promise<string[]> {
  const [schema] = await dataSource.query<{ exists: boolean }[]>(`select to_regnamespace('app') is not null as exists`);
  if (!schema?.exists) throw new NotMigratedError();
  const [found] = await dataSource.query<Rights[]>(RIGHTS);
  if (found?.role !== role) throw new UnfitDatabaseError(`The database role is ${found?.role ?? '?'}, not ${role}`);
  if (found.role_may_create) {
    throw new UnfitDatabaseError(
      `The database role ${role} may create objects whose names could be taken for ours: run the migrations, which revoke that`,
    );
  }
  if (found.customer_stays_on_coordinator) {
    throw new UnfitDatabaseError(
      'The workers of the Citus cluster would not be told for which customer a transaction runs: something between the ' +
        'service and the database takes the setting citus.propagate_set_commands=local out of its connections',
    );
  }
  const open = found.on_cluster ? await dataSource.query<{ node: string }[]>(OPEN_NODES) : [];
  if (open.length > 0) {
    throw new UnfitDatabaseError(
      `Everybody may call functions or create tables on ${open.map(({ node }) => node).join(', ')}, ` +
        'which became a node of the cluster after the last migration: run the migrations, which revoke that',
    );
  }
  await assertBillingZone(dataSource, config);
  if (role === 'account_operator') return [];
  if (found.role_bypasses) throw new UnfitDatabaseError(`The database role ${role} is not held to row level security`);
  if (!found.login_exceeds) return [];
  return [
    `The database login ${found.login} (DATABASE_URL) may do more than row level security allows: ` +
      `give the API a login of its own whose only right is to be a member of ${role}`,
  ];
}

/**
 * Checks that the process books by the months and days of the database: with others a month would begin at two times, and days no longer add
 * up. @throws NotMigratedError if none are stored; UnfitDatabaseError if they are those of another zone
 */
export async function assertBillingZone(
  dataSource: DataSource,
  { BILLING_TIMEZONE: zone }: Pick<AppConfig, 'BILLING_TIMEZONE'>,
): Promise<void> {
  const [table] = await dataSource.query<[{ exists: boolean }]>(
    `select to_regclass('public.billing_zone') is not null as exists`,
  );
  const [stored] = table.exists ? await dataSource.query<{ zone: string }[]>('select zone from billing_zone') : [];
  if (!stored) throw new NotMigratedError();
  if (stored.zone !== zone) {
    throw new UnfitDatabaseError(
      `BILLING_TIMEZONE is ${zone}, but the months and days in the database are those of ${stored.zone}: set ` +
        `BILLING_TIMEZONE=${stored.zone} for all programs. If they always had ${zone}, and the migrations were first run without it, correct what those ` +
        'have stored (docs/handbook/incidents.md). As long as no AI credit was booked, the migrations with another zone change it',
    );
  }
}
