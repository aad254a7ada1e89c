import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When a sync last saw an invoice in its source: those that a run did not come across are asked for one by one. */
export class InvoiceSyncedAt1763683440000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table invoice add column synced_at timestamptz`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table invoice drop column synced_at`);
  }
}
