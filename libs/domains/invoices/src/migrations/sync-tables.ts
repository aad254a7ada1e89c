import type { QueryRunner } from 'typeorm';
import { secureCustomerTable } from '@platform/database';

/** Who a customer is in a billing source, how its sync stands, and which items the sync could not read. */
export async function createSyncTables(runner: QueryRunner): Promise<void> {
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
  // Whoever asks for a PDF must be its owner at the source, too.
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
