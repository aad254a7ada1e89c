import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EntityManager } from 'typeorm';
import { isDataRefused } from '@platform/database';
import type { BillingSourceName } from '../invoice-record';
import type { SourceInvoice, SourceProblem } from '../ports/billing-source.port';

/** Result of one step of a run. */
export interface SyncStep {
  invoices: SourceInvoice[];
  problems: SourceProblem[];
  /** Drafts that the source no longer has. Customers have never seen them. */
  gone?: string[];
  /** Documents that belong to another customer now. */
  moved?: string[];
  /** Issued invoices that the source did not have, twice in a row. */
  voided?: string[];
}

/** Problem of an issued document that its source no longer has. */
export const GONE = 'The source has it no more';

/** The customer and source of the documents. */
interface SyncedAccount {
  customerId: string;
  source: BillingSourceName;
}

const UPSERT_INVOICES = readFileSync(join(__dirname, 'sql', 'upsert-invoices.sql'), 'utf8');

// $1 customer, $2 source, $3 the source's ids of documents
const DELETE_DOCUMENTS = 'delete from invoice where customer_id = $1 and source = $2 and source_id = any($3)';
const DELETE_DRAFTS = `${DELETE_DOCUMENTS} and status = 'draft'`;
const VOID_INVOICES = `
  update invoice set status = 'void', amount_due = 0, updated_at = app.now(), synced_at = app.now()
  where customer_id = $1 and source = $2 and source_id = any($3) and status in ('open', 'uncollectible')`;
const DELETE_PROBLEMS =
  'delete from invoice_sync_problem where customer_id = $1 and source = $2 and source_id = any($3)';

const UPSERT_PROBLEM = `
  insert into invoice_sync_problem (customer_id, source, source_id, detail, seen_at) values ($1, $2, $3, $4, app.now())
  on conflict (customer_id, source, source_id) do update set detail = excluded.detail, seen_at = excluded.seen_at`;

/** Finds the other customers that have documents: the only query here that names no customer. */
const COPIES_OF_OTHERS = `
  select customer_id, array_agg(source_id) as source_ids from invoice
  where source = $1 and source_id = any($2) and customer_id <> $3 group by customer_id`;

const NUMBERED_DOCUMENTS = 'jsonb_to_recordset($2::jsonb) as v (type text, number text, source_id text)';
// In an order, so that transactions which want the same numbers wait for each other and do not lock each other out.
const CLAIM_NUMBERS = `insert into invoice_number (source, type, number, source_id)
  select $1, v.type, v.number, v.source_id from ${NUMBERED_DOCUMENTS} order by v.type, v.number on conflict do nothing`;
const TAKEN_NUMBERS = `select v.source_id from ${NUMBERED_DOCUMENTS}
  join invoice_number n on n.source = $1 and n.type = v.type and n.number = v.number and n.source_id <> v.source_id`;

/**
 * Stores the result of a step within the caller's transaction. If the database refuses a document, it becomes a problem
 * and the others are stored. @returns how many documents were stored, and how many could not be
 */
export async function storeStep(
  manager: EntityManager,
  account: SyncedAccount,
  step: SyncStep,
): Promise<{ stored: number; skipped: number }> {
  const foreign = step.problems.filter((problem) => problem.foreign).map(({ sourceId }) => sourceId);
  await change(manager, account, DELETE_DOCUMENTS, [...(step.moved ?? []), ...foreign]);
  await change(manager, account, DELETE_DRAFTS, step.gone);
  await change(manager, account, VOID_INVOICES, step.voided);
  const stored = await storeInvoices(manager, account, step);
  await storeProblems(manager, account, stored);
  return { stored: stored.invoices.length, skipped: stored.problems.length };
}

/** Runs a statement for documents of the account, if there are any. */
async function change(
  manager: EntityManager,
  { customerId, source }: SyncedAccount,
  statement: string,
  sourceIds: string[] = [],
): Promise<void> {
  if (sourceIds.length > 0) await manager.query(statement, [customerId, source, sourceIds]);
}

async function storeInvoices(manager: EntityManager, account: SyncedAccount, step: SyncStep): Promise<SyncStep> {
  const attempt = await tryToStore(manager, account, step);
  if (attempt || step.invoices.length === 0) return attempt ?? step;
  // One of the documents is at fault: store each one by itself.
  const result: SyncStep = { ...step, invoices: [], problems: [...step.problems] };
  for (const invoice of step.invoices) {
    const alone = await tryToStore(manager, account, { invoices: [invoice], problems: [] });
    const refused: SourceProblem = { sourceId: invoice.sourceId, detail: 'The database cannot store it' };
    result.invoices.push(...(alone?.invoices ?? []));
    result.problems.push(...(alone?.problems ?? [refused]));
  }
  return result;
}

/** @returns the step as it was stored; undefined if the database refused it as a whole */
async function tryToStore(
  manager: EntityManager,
  account: SyncedAccount,
  step: SyncStep,
): Promise<SyncStep | undefined> {
  try {
    // A nested transaction is a savepoint.
    return await manager.transaction(async (savepoint) => {
      const storable = await refuseTakenNumbers(savepoint, account, step);
      await upsertInvoices(savepoint, account, storable.invoices);
      return storable;
    });
  } catch (error) {
    if (isDataRefused(error)) return undefined;
    throw error;
  }
}

/**
 * Claims the numbers of a step's documents; drafts have none yet. Claiming a document's own number again changes nothing.
 * @returns the step to store: a document whose number another one has, of any customer, becomes a problem
 */
async function refuseTakenNumbers(
  manager: EntityManager,
  { source }: SyncedAccount,
  step: SyncStep,
): Promise<SyncStep> {
  const numbered = step.invoices.filter(({ status }) => status !== 'draft');
  if (numbered.length === 0) return step;
  const numbers = numbered.map(({ type, number, sourceId }) => ({ type, number, source_id: sourceId }));
  const parameters = [source, JSON.stringify(numbers)];
  await manager.query(CLAIM_NUMBERS, parameters);
  const rows = await manager.query<{ source_id: string }[]>(TAKEN_NUMBERS, parameters);
  const taken = new Set(rows.map(({ source_id }) => source_id));
  if (taken.size === 0) return step;
  const problems = numbered
    .filter(({ sourceId }) => taken.has(sourceId))
    .map(({ sourceId, number }) => ({
      sourceId,
      detail: `number: another invoice of ${source} has the number ${number}`,
    }));
  return {
    ...step,
    invoices: step.invoices.filter(({ sourceId }) => !taken.has(sourceId)),
    problems: [...step.problems, ...problems],
  };
}

/** Inserts or updates invoices. */
async function upsertInvoices(
  manager: EntityManager,
  { customerId, source }: SyncedAccount,
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
  // A document that the source assigns to this customer now is deleted for the others.
  const others = await manager.query<{ customer_id: string; source_ids: string[] }[]>(COPIES_OF_OTHERS, [
    source,
    [...bySourceId.keys()],
    customerId,
  ]);
  for (const other of others) {
    await change(manager, { customerId: other.customer_id, source }, DELETE_DOCUMENTS, other.source_ids);
  }
  await manager.query(UPSERT_INVOICES, [customerId, source, JSON.stringify(rows)]);
}

/** Stores problems of items that could not be read, and deletes those of items that were read this time. */
async function storeProblems(
  manager: EntityManager,
  account: SyncedAccount,
  { invoices, problems, gone = [], moved = [], voided = [] }: SyncStep,
): Promise<void> {
  const read = [...invoices.map(({ sourceId }) => sourceId), ...gone, ...moved, ...voided];
  await change(manager, account, DELETE_PROBLEMS, read);
  for (const { sourceId, detail } of problems) {
    await manager.query(UPSERT_PROBLEM, [account.customerId, account.source, sourceId, detail]);
  }
}
