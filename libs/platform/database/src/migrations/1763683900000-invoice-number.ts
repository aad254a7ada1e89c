import type { MigrationInterface, QueryRunner } from 'typeorm';
import { replicate } from './helpers';

/**
 * Numbers that invoices bear, each once per issuing source and kind of document, over all customers. `invoice` itself
 * cannot promise that: its keys begin with the customer. A number stays claimed for good.
 */
export class InvoiceNumber1763683900000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table invoice_number (
        source text not null,
        type text not null,
        number text not null,
        source_id text not null,
        constraint invoice_number_pk primary key (source, type, number),
        constraint invoice_number_source_check check (source in ('manual', 'stripe', 'fiken')),
        constraint invoice_number_type_check check (type in ('invoice', 'credit_note'))
      )`);
    await replicate(runner, 'invoice_number');
    await runner.query(`grant select, insert on invoice_number to account_operator`);
    // Of two that have one number already, the older keeps it.
    await runner.query(`
      insert into invoice_number (source, type, number, source_id)
      select distinct on (source, type, number) source, type, number, source_id from invoice
      where status <> 'draft' order by source, type, number, created_at, id`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table invoice_number`);
  }
}
