import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Syncs run as jobs of a queue. What is kept beside an account is which run may write, since when it has failed, and that
 * it is in the queue. An invoice that moved to another customer is found by its id at the source.
 */
export class InvoiceSyncRuns1763683810000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table invoice_sync drop column locked_until`);
    await runner.query(`alter table invoice_sync add column run_id uuid`);
    await runner.query(`alter table invoice_sync add column queued_at timestamptz`);
    await runner.query(`alter table invoice_sync add column failing_since timestamptz`);
    await runner.query(`drop index invoice_sync_due_idx`);
    await runner.query(`create index invoice_sync_due_idx on invoice_sync (source, due_at)`);
    await runner.query(`create index invoice_source_idx on invoice (source, source_id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop index invoice_source_idx`);
    await runner.query(`drop index invoice_sync_due_idx`);
    await runner.query(`create index invoice_sync_due_idx on invoice_sync (due_at)`);
    await runner.query(`alter table invoice_sync drop column failing_since`);
    await runner.query(`alter table invoice_sync drop column queued_at`);
    await runner.query(`alter table invoice_sync drop column run_id`);
    await runner.query(`alter table invoice_sync add column locked_until timestamptz`);
  }
}
