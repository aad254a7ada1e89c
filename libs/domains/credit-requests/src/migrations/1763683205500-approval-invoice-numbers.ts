import type { QueryRunner } from 'typeorm';
import { ForwardMigration } from '@platform/database';

/** The number of the invoice that a first approval names, for the second one. */
export class ApprovalInvoiceNumbers1763683205500 extends ForwardMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table ai_credit_request_approval add column invoice_number text');
  }
}
