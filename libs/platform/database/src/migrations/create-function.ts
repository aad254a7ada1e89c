import { readFileSync } from 'node:fs';
import type { QueryRunner } from 'typeorm';

/** Who may call a function, and with whose rights it runs. */
export interface FunctionAccess {
  /** The roles that may call it: both of the service's unless given. */
  roles?: readonly string[];
  /** For a `security definer` function: it runs with the rights of `account_operator`. */
  asOperator?: boolean;
}

/**
 * Creates the function that a `.sql` file defines, for the service's roles and nobody else.
 * @param file path without `.sql`
 */
export async function createFunction(
  runner: QueryRunner,
  file: string,
  { roles = ['customer_api', 'account_operator'], asOperator = false }: FunctionAccess = {},
): Promise<void> {
  const definition = readFileSync(`${file}.sql`, 'utf8');
  const name = /^create function (app\.\w+)\(/m.exec(definition)?.[1];
  if (!name) throw new Error(`${file}.sql does not define a function of the schema app`);
  await runner.query(definition);
  await runner.query(`revoke all on function ${name} from public`);
  await runner.query(`grant execute on function ${name} to ${roles.join(', ')}`);
  if (!asOperator) return;
  // The new owner must have the right to create in the schema, while it becomes the owner.
  await runner.query(`grant create on schema app to account_operator`);
  await runner.query(`alter function ${name} owner to account_operator`);
  await runner.query(`revoke create on schema app from account_operator`);
}
