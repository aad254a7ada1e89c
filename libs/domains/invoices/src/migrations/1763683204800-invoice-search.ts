import type { QueryRunner } from 'typeorm';
import { ForwardMigration } from '@platform/database';

/** The index of parts of invoices' numbers. */
export class InvoiceSearch1763683204800 extends ForwardMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create index invoice_number_text_idx on invoice using gin (number gin_trgm_ops)`);
  }
}
