import type { QueryRunner } from 'typeorm';
import { ForwardMigration } from '@platform/database';

/**
 * The company that issued an invoice number, at a source that has several: each counts for itself. Numbers from before have
 * none. The next sync that reads their document claims them for its company.
 */
export class InvoiceNumbersOfCompanies1763683205800 extends ForwardMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table invoice_number add column company text not null default ''`);
    await runner.query(`alter table invoice_number drop constraint invoice_number_pk`);
    await runner.query(
      `alter table invoice_number add constraint invoice_number_pk primary key (source, company, type, number)`,
    );
  }
}
