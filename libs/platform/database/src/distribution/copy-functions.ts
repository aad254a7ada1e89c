import type { QueryRunner } from 'typeorm';

const ONLY_HERE = `
  select p.oid::regprocedure::text as name from pg_proc p
  where p.pronamespace = 'app'::regnamespace
    and not exists (select from pg_dist_object o where o.classid = 'pg_proc'::regclass and o.objid = p.oid)`;

/**
 * Creates our functions on the nodes that lack them. The cluster does so itself when a function is created, unless a
 * parameter or the result is a row of a table that was not distributed at that time.
 */
export async function copyFunctions(runner: QueryRunner): Promise<void> {
  for (const { name } of (await runner.query(ONLY_HERE)) as { name: string }[]) {
    await runner.query('select create_distributed_function($1)', [name]);
    // The copy is everybody's to call: rights that were revoked before are not copied.
    await runner.query(`revoke all on function ${name} from public`);
  }
}
