import type { MigrationInterface, QueryRunner } from 'typeorm';
import { distribute, secureCustomerTable } from './helpers';

/** Invoices of every billing source. Amounts are in the currency's minor unit. */
export class Invoice1763683400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table invoice (
        customer_id uuid not null,
        id uuid not null,
        source text not null,
        source_id text not null,
        type text not null default 'invoice',
        number text not null,
        status text not null,
        currency text not null,
        amount bigint not null,
        amount_due bigint not null,
        issue_date date not null,
        due_date date,
        paid_at timestamptz,
        kid text,
        pdf_url text,
        pdf_reference text,
        hosted_url text,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        constraint invoice_pk primary key (customer_id, id),
        constraint invoice_source_key unique (customer_id, source, source_id),
        constraint invoice_customer_fk foreign key (customer_id) references customer (id),
        constraint invoice_source_check check (source in ('manual', 'stripe', 'fiken')),
        constraint invoice_type_check check (type in ('invoice', 'credit_note')),
        constraint invoice_status_check check (status in ('draft', 'open', 'paid', 'void', 'uncollectible')),
        constraint invoice_currency_check check (currency ~ '^[A-Z]{3}$')
      )`);
    await runner.query(`create index invoice_newest_idx on invoice (customer_id, created_at desc, id desc)`);
    // What a sync has to look at again: the source may still change these.
    await runner.query(
      `create index invoice_unsettled_idx on invoice (customer_id, source, source_id) where status in ('draft', 'open', 'uncollectible')`,
    );
    await distribute(runner, 'invoice');
    await secureCustomerTable(runner, 'invoice', { apiMay: 'select' });
    await runner.query(
      `create policy no_drafts on invoice as restrictive for select to customer_api using (status <> 'draft')`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table invoice`);
  }
}
