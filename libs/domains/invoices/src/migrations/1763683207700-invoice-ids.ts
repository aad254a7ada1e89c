import type { QueryRunner } from 'typeorm';
import { ForwardMigration } from '@platform/database';

/** The index of the invoices' ids, by which the operator finds one without its customer. */
export class InvoiceIds1763683207700 extends ForwardMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create index invoice_id_idx on invoice (id)');
  }
}
