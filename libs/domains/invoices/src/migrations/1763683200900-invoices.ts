import { join } from 'node:path';
import type { QueryRunner } from 'typeorm';
import { ForwardMigration, type FunctionFile, secureCustomerTable } from '@platform/database';

/** Invoices of every billing source, the numbers they bear, and how far each source is read. */
export class InvoicesSchema1763683200900 extends ForwardMigration {
  override readonly tables = ['invoice', 'invoice_number', 'billing_account', 'invoice_sync', 'invoice_sync_problem'];

  override readonly functions: FunctionFile[] = [
    { path: join(__dirname, '..', 'sql', 'overdue.sql'), functions: { invoice_is_overdue: {} } },
    {
      path: join(__dirname, '..', 'sql', 'invoice-events.sql'),
      functions: { record_invoice_event: { roles: ['account_operator'] } },
    },
  ];

  async up(runner: QueryRunner): Promise<void> {
    await createInvoices(runner);
    await createInvoiceNumbers(runner);
    await createSyncTables(runner);
  }
}

/** Amounts are in the currency's minor unit. */
async function createInvoices(runner: QueryRunner): Promise<void> {
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
      synced_at timestamptz,
      constraint invoice_pk primary key (customer_id, id),
      constraint invoice_source_key unique (customer_id, source, source_id),
      constraint invoice_customer_fk foreign key (customer_id) references customer (id),
      constraint invoice_source_check check (source in ('manual', 'stripe', 'fiken')),
      constraint invoice_type_check check (type in ('invoice', 'credit_note')),
      constraint invoice_status_check check (status in ('draft', 'open', 'paid', 'void', 'uncollectible')),
      constraint invoice_currency_check check (currency ~ '^[A-Z]{3}$')
    )`);
  await runner.query(`create index invoice_newest_idx on invoice (customer_id, created_at desc, id desc)`);
  await runner.query(`create index invoice_status_idx on invoice (customer_id, status, created_at desc, id desc)`);
  // Invoices that a sync must read again: the source may still change these.
  await runner.query(
    `create index invoice_unsettled_idx on invoice (customer_id, source, source_id) where status in ('draft', 'open', 'uncollectible')`,
  );
  // An invoice that moved to another customer is found by its id at the source.
  await runner.query(`create index invoice_source_idx on invoice (source, source_id)`);
  await secureCustomerTable(runner, 'invoice', { apiMay: 'select', visible: `status <> 'draft'` });
}

/**
 * Numbers that invoices bear, each once per issuing source and kind of document, over all customers. `invoice` itself cannot
 * promise that: its keys begin with the customer. A number stays claimed for good.
 */
async function createInvoiceNumbers(runner: QueryRunner): Promise<void> {
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
  await runner.query(`grant select, insert on invoice_number to account_operator`);
}

/** The account of a customer in a billing source, the state of its sync, and the items that the sync could not read. */
async function createSyncTables(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table billing_account (
      customer_id uuid not null,
      source text not null,
      source_customer_id text not null,
      created_at timestamptz not null default now(),
      constraint billing_account_pk primary key (customer_id, source),
      constraint billing_account_customer_fk foreign key (customer_id) references customer (id),
      constraint billing_account_source_check check (source in ('stripe', 'fiken'))
    )`);
  await runner.query(`create index billing_account_source_idx on billing_account (source, source_customer_id)`);
  // A customer that requests a PDF must be its owner at the source, too.
  await secureCustomerTable(runner, 'billing_account', { apiMay: 'select' });

  // Beside a sync's checkpoint: which run may write (run_id), since when it has failed, and that it is in the queue.
  await runner.query(`
    create table invoice_sync (
      customer_id uuid not null,
      source text not null,
      checkpoint jsonb not null default '{}',
      due_at timestamptz not null default now(),
      queued_at timestamptz,
      run_id uuid,
      started_at timestamptz,
      finished_at timestamptz,
      succeeded_at timestamptz,
      failing_since timestamptz,
      failures integer not null default 0,
      stored integer not null default 0,
      skipped integer not null default 0,
      last_error text,
      constraint invoice_sync_pk primary key (customer_id, source),
      constraint invoice_sync_account_fk foreign key (customer_id, source) references billing_account (customer_id, source) on delete cascade
    )`);
  await runner.query(`create index invoice_sync_due_idx on invoice_sync (source, due_at)`);
  await secureCustomerTable(runner, 'invoice_sync');

  await runner.query(`
    create table invoice_sync_problem (
      customer_id uuid not null,
      source text not null,
      source_id text not null,
      detail text not null,
      seen_at timestamptz not null default now(),
      constraint invoice_sync_problem_pk primary key (customer_id, source, source_id),
      constraint invoice_sync_problem_account_fk foreign key (customer_id, source) references billing_account (customer_id, source) on delete cascade
    )`);
  await secureCustomerTable(runner, 'invoice_sync_problem');
}
