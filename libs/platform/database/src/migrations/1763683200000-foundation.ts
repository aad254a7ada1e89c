import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The roles of the service's processes, and the one function that sets the customer. */
export class Foundation1763683200000 implements MigrationInterface {
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
    await runner.query(`
      create function app.set_customer(customer uuid) returns void language plpgsql as $$
      begin
        -- SET LOCAL, not set_config(): a distributed database passes only this on to its workers.
        execute format('set local app.customer_id = %L', customer);
      end $$`);
    await runner.query(`revoke all on function app.set_customer(uuid) from public`);
    await runner.query(`grant execute on function app.set_customer(uuid) to customer_api, account_operator`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop function app.set_customer(uuid)`);
    await runner.query(`drop schema app`);
  }
}
