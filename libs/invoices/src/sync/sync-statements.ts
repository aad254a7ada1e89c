import { randomUUID } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import type { BillingSourceName } from '../invoice-record';
import type { SourceInvoice } from '../sources/billing-source';
import type { SyncStep } from './sync-store';

const UPSERT = `
  insert into invoice as i (customer_id, id, source, source_id, type, number, status, currency, amount, amount_due,
    issue_date, due_date, paid_at, kid, pdf_reference, hosted_url, created_at, updated_at, synced_at)
  select $1, v.id, $2, v.source_id, v.type, v.number, v.status, v.currency, v.amount, v.amount_due,
    v.issue_date, v.due_date, v.paid_at, v.kid, v.pdf_reference, v.hosted_url, v.created_at, $4, $4
  from jsonb_to_recordset($3::jsonb) as v (id uuid, source_id text, type text, number text, status text, currency text,
    amount bigint, amount_due bigint, issue_date date, due_date date, paid_at timestamptz, kid text, pdf_reference text,
    hosted_url text, created_at timestamptz)
  on conflict (customer_id, source, source_id) do update set
    number = excluded.number, status = excluded.status, currency = excluded.currency, amount = excluded.amount,
    amount_due = excluded.amount_due, issue_date = excluded.issue_date, due_date = excluded.due_date,
    paid_at = excluded.paid_at, kid = excluded.kid, pdf_reference = excluded.pdf_reference,
    hosted_url = excluded.hosted_url, synced_at = excluded.synced_at,
    updated_at = case when
        (i.number, i.status, i.currency, i.amount, i.amount_due, i.issue_date, i.due_date, i.paid_at, i.kid)
        is distinct from
        (excluded.number, excluded.status, excluded.currency, excluded.amount, excluded.amount_due, excluded.issue_date,
         excluded.due_date, excluded.paid_at, excluded.kid)
      then excluded.updated_at else i.updated_at end`;

/** Stores invoices as their source has them now. Its place in the list, an invoice keeps. */
export async function upsertInvoices(
  manager: EntityManager,
  customerId: string,
  source: BillingSourceName,
  invoices: SourceInvoice[],
  now: Date,
): Promise<void> {
  if (invoices.length === 0) return;
  // A page that shifted under its reader may hold a document twice; one statement can store it once.
  const bySourceId = new Map(invoices.map((invoice) => [invoice.sourceId, invoice]));
  const rows = [...bySourceId.values()].map((invoice) => ({
    id: randomUUID(),
    source_id: invoice.sourceId,
    type: invoice.type,
    number: invoice.number,
    status: invoice.status,
    currency: invoice.currency,
    amount: invoice.amount.toString(),
    amount_due: invoice.amountDue.toString(),
    issue_date: invoice.issueDate,
    due_date: invoice.dueDate,
    paid_at: invoice.paidAt,
    kid: invoice.kid,
    pdf_reference: invoice.pdfReference,
    hosted_url: invoice.hostedUrl,
    created_at: invoice.createdAt,
  }));
  await manager.query(UPSERT, [customerId, source, JSON.stringify(rows), now]);
}

/** Notes the items that could not be read, and forgets those that could be this time. */
export async function upsertProblems(
  manager: EntityManager,
  customerId: string,
  source: BillingSourceName,
  { invoices, problems, gone = [] }: SyncStep,
  now: Date,
): Promise<void> {
  const fine = [...invoices.map(({ sourceId }) => sourceId), ...gone];
  if (fine.length > 0) {
    const forget = 'delete from invoice_sync_problem where customer_id = $1 and source = $2 and source_id = any($3)';
    await manager.query(forget, [customerId, source, fine]);
  }
  for (const { sourceId, detail } of problems) {
    await manager.query(
      `insert into invoice_sync_problem (customer_id, source, source_id, detail, seen_at) values ($1, $2, $3, $4, $5)
       on conflict (customer_id, source, source_id) do update set detail = excluded.detail, seen_at = excluded.seen_at`,
      [customerId, source, sourceId, detail, now],
    );
  }
}

/** Removes drafts that their source has no more. Nobody has ever seen them. */
export async function deleteDrafts(
  manager: EntityManager,
  customerId: string,
  source: BillingSourceName,
  sourceIds: string[],
): Promise<void> {
  await manager.query(
    `delete from invoice where customer_id = $1 and source = $2 and source_id = any($3) and status = 'draft'`,
    [customerId, source, sourceIds],
  );
}
