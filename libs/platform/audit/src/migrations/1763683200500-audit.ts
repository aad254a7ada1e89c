import type { QueryRunner } from 'typeorm';
import { ForwardMigration, partitionByMonth, secureCustomerTable } from '@platform/database';

/**
 * Who did what, when. Actions that concern no customer carry the nil UUID. Entries are only added: nobody's role may
 * change or remove one, but for the details, which an erasure of the customer empties.
 */
export class AuditSchema1763683200500 extends ForwardMigration {
  override readonly tables = ['audit_log'];

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table audit_log (
        customer_id uuid not null,
        id uuid not null default app.new_id(),
        actor text not null,
        action text not null,
        metadata jsonb not null default '{}',
        created_at timestamptz not null default now(),
        constraint audit_log_pk primary key (customer_id, id)
      ) partition by range (id)`);
    await runner.query(`create index audit_log_newest_idx on audit_log (id desc)`);
    await runner.query(`create index audit_log_action_idx on audit_log (action, id desc)`);
    await secureCustomerTable(runner, 'audit_log', { apiMay: 'insert' });
    await runner.query(`revoke update, delete on audit_log from account_operator`);
    await runner.query(`grant update (metadata) on audit_log to account_operator`);
    await partitionByMonth(runner, 'audit_log');
  }
}
