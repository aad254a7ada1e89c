import { join } from 'node:path';
import type { QueryRunner } from 'typeorm';
import { createFunction } from './create-function';
import { ForwardMigration } from './forward-migration';

const SQL = join(__dirname, '..', 'sql');
const PARTITIONS = join(__dirname, '..', 'partitions', 'sql');

/** The roles of the service's programs, the customer that a transaction serves, the clock, ids that carry time, and partitions. */
export class DatabaseSchema1763683200000 extends ForwardMigration {
  async up(runner: QueryRunner): Promise<void> {
    // Roles belong to the whole server: another database of it may have made them already.
    for (const role of ['customer_api', 'account_operator']) {
      await runner.query(
        `do $$ begin create role ${role} nologin; exception when duplicate_object or unique_violation then null; end $$`,
      );
      await runner.query(
        `do $$ begin
           if not pg_has_role(current_user, '${role}', 'member') then execute format('grant ${role} to %I', current_user); end if;
         end $$`,
      );
    }
    await runner.query(`create schema app`);
    await runner.query(`grant usage on schema app to customer_api, account_operator`);
    await createFunction(runner, join(SQL, 'set-customer'));
    for (const name of ['now', 'new-id', 'first-id']) await createFunction(runner, join(SQL, name));
    // The partitions of tables have a schema of their own, which no role of the service may use: all goes through the tables.
    await runner.query(`create schema partitions`);
    for (const name of ['secure-partition', 'create-partition', 'drop-partition']) {
      await createFunction(runner, join(PARTITIONS, name), { roles: ['account_operator'] });
    }
  }
}
