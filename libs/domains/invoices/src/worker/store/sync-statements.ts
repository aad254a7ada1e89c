import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EntityManager } from 'typeorm';
import type { BillingSourceName } from '../../invoice-record';
import type { SourceInvoice } from '../../ports/billing-source.port';
import type { SyncStep } from '../run/sync-step';

const UPSERT = readFileSync(join(__dirname, 'sql', 'upsert-invoices.sql'), 'utf8');

/** Inserts or updates invoices. */
export async function upsertInvoices(
  manager: EntityManager,
  customerId: string,
  source: BillingSourceName,
  invoices: SourceInvoice[],
): Promise<void> {
  if (invoices.length === 0) return;
  // A page that shifted while it was read may contain a document twice; one statement can store it once.
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
  await removeFromOthers(manager, customerId, source, [...bySourceId.keys()]);
  await manager.query(UPSERT, [customerId, source, JSON.stringify(rows)]);
}

/** Deletes other customers' copies of documents that the source assigns to this customer. */
async function removeFromOthers(
  manager: EntityManager,
  customerId: string,
  source: BillingSourceName,
  sourceIds: string[],
): Promise<void> {
  // Finds the other customers: the only query here that names no customer.
  const others = await manager.query<{ customer_id: string; source_ids: string[] }[]>(
    `select customer_id, array_agg(source_id) as source_ids from invoice
     where source = $1 and source_id = any($2) and customer_id <> $3 group by customer_id`,
    [source, sourceIds, customerId],
  );
  for (const other of others) await deleteMoved(manager, other.customer_id, source, other.source_ids);
}

/** Stores problems of items that could not be read, and deletes those of items that were read this time. */
export async function upsertProblems(
  manager: EntityManager,
  customerId: string,
  source: BillingSourceName,
  { invoices, problems, gone = [], moved = [], voided = [] }: SyncStep,
): Promise<void> {
  const fine = [...invoices.map(({ sourceId }) => sourceId), ...gone, ...moved, ...voided];
  if (fine.length > 0) {
    const forget = 'delete from invoice_sync_problem where customer_id = $1 and source = $2 and source_id = any($3)';
    await manager.query(forget, [customerId, source, fine]);
  }
  for (const { sourceId, detail } of problems) {
    await manager.query(
      `insert into invoice_sync_problem (customer_id, source, source_id, detail, seen_at) values ($1, $2, $3, $4, app.now())
       on conflict (customer_id, source, source_id) do update set detail = excluded.detail, seen_at = excluded.seen_at`,
      [customerId, source, sourceId, detail],
    );
  }
}

/** Deletes drafts that their source no longer has. */
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

/** Deletes documents that belong to another customer now. */
export async function deleteMoved(
  manager: EntityManager,
  customerId: string,
  source: BillingSourceName,
  sourceIds: string[],
): Promise<void> {
  await manager.query(`delete from invoice where customer_id = $1 and source = $2 and source_id = any($3)`, [
    customerId,
    source,
    sourceIds,
  ]);
}

/** Voids invoices that their source no longer has. */
export async function voidGone(
  manager: EntityManager,
  customerId: string,
  source: BillingSourceName,
  sourceIds: string[],
): Promise<void> {
  await manager.query(
    `update invoice set status = 'void', amount_due = 0, updated_at = app.now(), synced_at = app.now()
     where customer_id = $1 and source = $2 and source_id = any($3) and status in ('open', 'uncollectible')`,
    [customerId, source, sourceIds],
  );
}
