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
  }
}
