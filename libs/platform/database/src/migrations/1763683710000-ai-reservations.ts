import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What the ledger's functions need to know of a reservation and of an account: limits of two kinds, the part of the month's
 * usage that came from included credit, included credit carried over the month's end, whose process a reservation is.
 */
export class AiReservations1763683710000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table ai_settings add column total_limit numeric(24,12),
        add constraint ai_settings_total_limit_check check (total_limit >= 0)`);
    await runner.query(`
      alter table ai_account add column month_included_usage numeric(24,12) not null default 0,
        add column carried_over numeric(24,12) not null default 0`);
    await runner.query(`
      alter table ai_hold add column month text, add column included_limit numeric(24,12), add column process_id uuid`);
    await runner.query(`drop index ai_hold_stale_idx`);
    await runner.query(`create index ai_hold_pending_idx on ai_hold (customer_id, deadline) where state = 'pending'`);

    // Forced row level security would hide the rows from the owner who migrates.
    for (const table of ['ai_account', 'ai_ledger_entry'])
      await runner.query(`alter table ${table} no force row level security`);
    await runner.query(`
      update ai_account a set month_included_usage = u.amount
      from (select e.customer_id, e.month, -sum(e.amount) as amount from ai_ledger_entry e
            where e.kind = 'usage' and e.bucket = 'included' group by e.customer_id, e.month) u
      where u.customer_id = a.customer_id and u.month = a.month`);
    for (const table of ['ai_account', 'ai_ledger_entry'])
      await runner.query(`alter table ${table} force row level security`);
  }

  down(): Promise<void> {
    // Calls that were charged after they had been given up could no longer be told from the others.
    throw new Error('The AI ledger cannot go back to one kind of limit');
  }
}
