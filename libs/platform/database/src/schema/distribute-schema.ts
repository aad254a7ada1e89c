import { escapeLiteral } from 'pg';
import type { QueryRunner } from 'typeorm';
import type { ForwardMigration } from './forward-migration';
import { type Delegation, hasCitus } from './functions';

/** Roles whose connections the coordinator passes on to the workers: there they must be allowed to log in. */
const ROLES = ['customer_api', 'account_operator'];

const FUNCTIONS_ONLY_HERE = `
  select p.oid::regprocedure::text as name from pg_proc p
  where p.pronamespace = 'app'::regnamespace
    and not exists (select from pg_dist_object o where o.classid = 'pg_proc'::regclass and o.objid = p.oid)`;

const EVERYBODY = `array['public', ${ROLES.map((role) => `'${role}'`).join(', ')}]`;

/** Who may call each of our functions, here: by its name with its parameters. */
const CALLERS = `
  select json_object_agg(p.oid::regprocedure::text, (
    select coalesce(json_agg(r.role), '[]') from unnest(${EVERYBODY}) r (role) where has_function_privilege(r.role, p.oid, 'execute')
  ))::text as callers
  from pg_proc p where p.pronamespace = 'app'::regnamespace`;

/**
 * The rights on a node. A node that was added later has our functions with the rights that PostgreSQL gives at first, to
 * everybody and to the owner, and its database has its own.
 * @param callers who may call each function on the coordinator, see {@link CALLERS}
 */
function restrictNode(callers: string): string {
  return `
declare
  extra record;
begin
  execute format('revoke temporary, create on database %I from public', current_database());
  revoke create on schema public from public;
  for extra in
    select f.key as name, r.role from json_each(${escapeLiteral(callers)}) f cross join unnest(${EVERYBODY}) r (role)
    where has_function_privilege(r.role, f.key, 'execute') and not f.value::jsonb ? r.role
  loop
    execute format('revoke all on function %s from %s', extra.name, extra.role);
  end loop;
end`;
}

/**
 * On a Citus cluster, distributes what is not distributed yet; elsewhere does nothing. Runs after the migrations, which are
 * the same for one server and for a cluster, so it also distributes a restored dump of a single server. After an
 * interruption the next run goes on.
 */
export async function distributeSchema(runner: QueryRunner, migrations: readonly ForwardMigration[]): Promise<void> {
  if (!(await hasCitus(runner))) return;
  for (const role of ROLES) {
    await runner.query(`alter role ${role} login`);
    // As the programs' own connections have it, which do not pass it on.
    await runner.query(`alter role ${role} set jit = off`);
  }
  const ofEachNode = migrations.flatMap(({ nodeTables }) => Object.keys(nodeTables));
  const make = migrations.flatMap(({ nodeTables }) => Object.values(nodeTables).flat());
  await onWorkers(runner, make.join('; '), 'did not get tables of its own');
  const plan = await planTables(
    runner,
    migrations.flatMap(({ tables }) => tables.filter((table) => !ofEachNode.includes(table))),
  );
  // A distributed table may only refer to a table that is distributed already, or that every node has.
  for (const table of plan.reference) await runner.query(`select create_reference_table($1)`, [table]);
  for (const table of plan.distributed)
    await runner.query(`select create_distributed_table($1, 'customer_id')`, [table]);
  await copyFunctions(runner);
  for (const { functions } of migrations.flatMap((migration) => migration.functions))
    for (const [name, { delegated }] of Object.entries(functions))
      if (delegated) await delegateFunction(runner, `app.${name}`, delegated);
  const [{ callers }] = (await runner.query(CALLERS)) as [{ callers: string }];
  await onWorkers(runner, restrictNode(callers), 'may still let too many call functions');
}

/**
 * Runs a block of statements on each worker, which passes nothing on.
 * @param complaint what is wrong with a node where it fails
 * @throws if a node does not answer
 */
async function onWorkers(runner: QueryRunner, block: string, complaint: string): Promise<void> {
  const replies = (await runner.query(
    `select n.nodename || ':' || n.nodeport as node, r.success, r.result
     from run_command_on_workers($1) r join pg_dist_node n on n.nodename = r.nodename and n.nodeport = r.nodeport`,
    [`do $$ begin perform set_config('citus.enable_ddl_propagation', 'off', true); ${block}; end $$`],
  )) as { node: string; success: boolean; result: string }[];
  const failed = replies.find(({ success }) => !success);
  if (failed) throw new Error(`The node ${failed.node} ${complaint}: ${failed.result}`);
}

/** Tables that are not distributed yet. */
interface TablePlan {
  /** Copied to every node: of no customer, or looked up before the customer is known. Seldom written. */
  reference: string[];
  /** Owned by customers: a customer's rows of all these tables are on one node. */
  distributed: string[];
}

/**
 * How tables are spread over a cluster. The schema says it: a table whose primary key begins with the customer is
 * distributed by the customer, any other is copied to every node. Partitions go with their table.
 * @param tables in the order of their foreign keys: each refers only to those before it
 */
async function planTables(runner: QueryRunner, tables: readonly string[]): Promise<TablePlan> {
  const rows = (await runner.query(
    `select c.relname as name, a.attname = 'customer_id' as owned from pg_class c
     join pg_index i on i.indrelid = c.oid and i.indisprimary
     join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0]
     where c.relnamespace = 'public'::regnamespace and c.oid not in (select logicalrelid from pg_dist_partition)`,
  )) as { name: string; owned: boolean }[];
  const owned = new Map(rows.map((row) => [row.name, row.owned]));
  return {
    reference: tables.filter((table) => owned.get(table) === false),
    distributed: tables.filter((table) => owned.get(table) === true),
  };
}

/**
 * Creates our functions on the nodes that lack them. The cluster does so itself when a function is created, unless a
 * parameter or the result is a row of a table that was not distributed at that time.
 */
async function copyFunctions(runner: QueryRunner): Promise<void> {
  for (const { name } of (await runner.query(FUNCTIONS_ONLY_HERE)) as { name: string }[]) {
    await runner.query('select create_distributed_function($1)', [name]);
    // Everybody may call the copy: rights that were revoked before are not copied.
    await runner.query(`revoke all on function ${name} from public`);
  }
}

/**
 * Lets a call of this function run on the node that has the rows of the customer, its first parameter: there its
 * statements need no network. Inside a transaction of several statements a call runs on the coordinator as before, unless it is
 * delegated there too.
 */
async function delegateFunction(
  runner: QueryRunner,
  name: string,
  { table, inTransactions = false }: Delegation,
): Promise<void> {
  await runner.query(
    `select create_distributed_function(p.oid::regprocedure, p.proargnames[1], colocate_with => $2, force_delegation => $3)
     from pg_proc p where p.oid = $1::regproc`,
    [name, table, inTransactions],
  );
}
