import type { QueryRunner } from 'typeorm';
import { ForwardMigration } from '@platform/database';

/** Indexes of the invoices of all customers. */
export class InvoiceInbox1763683203300 extends ForwardMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create index invoice_inbox_idx on invoice ((created_at at time zone 'UTC') desc, id desc)`);
    await runner.query(`create index invoice_due_idx on invoice (due_date) where status = 'open'`);
  }
}
