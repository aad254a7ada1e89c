import type { QueryRunner } from 'typeorm';
import { ForwardMigration } from '@platform/database';

/** The index of syncs that fail, of which the console tells the number. */
export class FailingInvoiceSyncs1763683205100 extends ForwardMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create index invoice_sync_failing_idx on invoice_sync (source) where failures > 0`);
  }
}
