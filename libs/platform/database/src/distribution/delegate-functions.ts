import type { QueryRunner } from 'typeorm';

/**
 * Lets a call of one of these functions run on the node that has the rows of the customer, its first parameter: there its
 * statements need no network. Inside a transaction of several statements a call runs on the coordinator as before.
 */
export async function delegateFunctions(runner: QueryRunner, functions: readonly string[]): Promise<void> {
  for (const name of functions) {
    await runner.query(
      `select create_distributed_function(p.oid::regprocedure, p.proargnames[1], colocate_with => 'ai_account')
       from pg_proc p where p.oid = $1::regproc`,
      [name],
    );
    // With plans for any value, Citus 13.2.1 and 13.2.2 make a local plan at every execution and never free it: the
    // connections between the nodes grow by 0.3 MB with each call of the ledger.
    await runner.query(`alter function ${name} set plan_cache_mode = force_custom_plan`);
  }
}
