import { join } from 'node:path';
import type { QueryRunner } from 'typeorm';
import { ForwardMigration } from '../schema/forward-migration';
import { applyFunctions, type FunctionFile } from '../schema/functions';

const SQL = join(__dirname, '..', 'sql');
const OPERATORS = { roles: ['account_operator'] } as const;

/**
 * The functions that migrations use: the clock, ids that carry time, partitions, and the customer of a transaction. Applied
 * before the migrations, in their present form, and again with all others.
 */
export const FOUNDATION: readonly FunctionFile[] = [
  { path: join(SQL, 'set-customer.sql'), functions: { set_customer: {} } },
  { path: join(SQL, 'clock-and-ids.sql'), functions: { now: {}, new_id: {}, first_id: {} } },
  {
    path: join(SQL, 'partitions.sql'),
    functions: { secure_partition: OPERATORS, create_partition: OPERATORS, drop_partition: OPERATORS },
  },
];

/** The roles of the service's programs, the schemas of its functions and partitions, and the functions that migrations use. */
export class DatabaseSchema1763683200000 extends ForwardMigration {
  override readonly functions: FunctionFile[] = [
    ...FOUNDATION,
    { path: join(SQL, 'times.sql'), functions: { billing_month: {}, json_time: {} } },
    {
      path: join(SQL, 'served-time.sql'),
      functions: { count_served_time: OPERATORS, outage_is_over: { asOperator: true } },
    },
  ];

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
    // The partitions of tables have a schema of their own, which no role of the service may use: all goes through the tables.
    await runner.query(`create schema partitions`);
    await applyFunctions(runner, FOUNDATION);
  }
}
