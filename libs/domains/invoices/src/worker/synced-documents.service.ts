import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { isDataRefused } from '@platform/database';
import { BillingCalendar } from '@platform/time';
import { forgetInvoiceEvents, recordInvoiceEvents } from '../invoice-events';
import type { BillingSourceName } from '../invoice-values';
import {
  type BillingSource,
  CREDIT_NOTE,
  type SourceInvoice,
  type SourceProblem,
  UNIDENTIFIED,
} from '../ports/billing-source.port';

/** The customer and the source of documents, and the company there that issues them, if the source has several. */
interface SyncedAccount {
  customerId: string;
  source: BillingSourceName;
  company: string | undefined;
}

/** With the billing time zone, in which an invoice becomes overdue. */
interface StoredAccount extends SyncedAccount {
  timeZone: string;
}

/** Documents, and the problems of those that cannot be stored. */
interface Documents {
  invoices: SourceInvoice[];
  problems: SourceProblem[];
}

/** Documents as the source returned them in one step of a run. */
export interface ReadDocuments extends Documents {
  /** Documents that belong to another customer now. */
  moved?: string[];
  /** Documents that the source did not have. */
  missing?: UnlistedDocument[];
}

/** A stored document, or the problem of one, that no feed has listed. */
export interface UnlistedDocument {
  id: string;
  /** A draft may disappear from the source: customers have never seen it. */
  draft: boolean;
  /** The source did not have it the last time either. */
  gone: boolean;
}

/** Problem of an issued document that its source no longer has. */
const GONE = 'The source has it no more';
/** Ids of documents that cannot be requested. */
const NAMELESS = [UNIDENTIFIED, CREDIT_NOTE + UNIDENTIFIED];

const UNLISTED = readFileSync(join(__dirname, 'sql', 'unlisted-documents.sql'), 'utf8');
const UPSERT_INVOICES = readFileSync(join(__dirname, 'sql', 'upsert-invoices.sql'), 'utf8');

// $1 customer, $2 source, $3 the source's ids of documents
const VISIBLE_DOCUMENTS = `
  select source_id from invoice where customer_id = $1 and source = $2 and source_id = any($3) and status <> 'draft'`;
const DELETE_DOCUMENTS = 'delete from invoice where customer_id = $1 and source = $2 and source_id = any($3)';
const DELETE_DRAFTS = `${DELETE_DOCUMENTS} and status = 'draft'`;
const VOID_INVOICES = `
  update invoice set status = 'void', amount_due = 0, updated_at = app.now(), synced_at = app.now()
  where customer_id = $1 and source = $2 and source_id = any($3) and status in ('open', 'uncollectible') returning id`;
const DELETE_PROBLEMS =
  'delete from invoice_sync_problem where customer_id = $1 and source = $2 and source_id = any($3)';

const UPSERT_PROBLEM = `
  insert into invoice_sync_problem (customer_id, source, source_id, detail, seen_at) values ($1, $2, $3, $4, app.now())
  on conflict (customer_id, source, source_id) do update set detail = excluded.detail, seen_at = excluded.seen_at`;

/**
 * Finds the other customers that have documents: the only query here that names no customer. Only of accounts of the same
 * company, if the source has several ($4), and not of erased customers, whose accounts are gone: accounting law requires theirs.
 */
const COPIES_OF_OTHERS = `
  select i.customer_id, array_agg(i.source_id) as source_ids
  from invoice i join billing_account a on a.customer_id = i.customer_id and a.source = i.source
  where i.source = $1 and i.source_id = any($2) and i.customer_id <> $3 and (a.company is null or a.company = $4)
  group by i.customer_id`;

// $1 source, $2 company or '', $3 documents
const NUMBERED_DOCUMENTS = 'jsonb_to_recordset($3::jsonb) as v (type text, number text, source_id text)';
// In an order, so that transactions which want the same numbers wait for each other and do not lock each other out.
const CLAIM_NUMBERS = `insert into invoice_number (source, company, type, number, source_id)
  select $1, $2, v.type, v.number, v.source_id from ${NUMBERED_DOCUMENTS} order by v.type, v.number on conflict do nothing`;
const TAKEN_NUMBERS = `select v.source_id from ${NUMBERED_DOCUMENTS}
  join invoice_number n on n.source = $1 and n.company = $2 and n.type = v.type and n.number = v.number
    and n.source_id <> v.source_id`;

/** The documents of customers in billing sources, as they are stored here. Every statement that writes names the customer. */
@Injectable()
export class SyncedDocumentsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly calendar: BillingCalendar,
  ) {}

  /**
   * Documents that no feed has listed since a run began and that must be requested one by one, in the order of their ids,
   * behind `after`. `all`: settled documents, too.
   */
  unlisted(
    customerId: string,
    { name, unsettled }: Pick<BillingSource, 'name' | 'unsettled'>,
    { since, after, limit, all }: { since: string; after: string; limit: number; all: boolean },
  ): Promise<UnlistedDocument[]> {
    return this.dataSource.query(UNLISTED, [customerId, name, after, since, limit, all, GONE, NAMELESS, unsettled]);
  }

  /**
   * Stores documents within the caller's transaction. A document that the database refuses becomes a problem, and the
   * others are stored. An issued document that is missing once is a problem; missing twice in a row, it becomes void.
   * @returns how many documents were stored, and how many could not be
   */
  async store(
    manager: EntityManager,
    account: SyncedAccount,
    { invoices, problems, moved = [], missing = [] }: ReadDocuments,
  ): Promise<{ stored: number; skipped: number }> {
    const drafts = missing.filter(({ draft }) => draft);
    const issued = missing.filter(({ draft }) => !draft);
    // Not at the first sign: nothing is to be paid any more on an invoice that becomes void.
    const voided = issued.filter(({ gone }) => gone).map(({ id }) => id);
    const suspected = issued.filter(({ gone }) => !gone).map(({ id }) => ({ sourceId: id, detail: GONE }));
    const foreign = problems.filter((problem) => problem.foreign).map(({ sourceId }) => sourceId);
    const gone = drafts.map(({ id }) => id);
    await deleteForeign(manager, account, [...moved, ...foreign]);
    await change(manager, account, DELETE_DRAFTS, gone);
    await this.voidInvoices(manager, account, voided);
    const result = await storeInvoices(
      manager,
      { ...account, timeZone: this.calendar.timeZone },
      { invoices, problems: [...problems, ...suspected] },
    );
    const resolved = [...result.invoices.map(({ sourceId }) => sourceId), ...gone, ...moved, ...voided];
    await change(manager, account, DELETE_PROBLEMS, resolved);
    for (const { sourceId, detail } of result.problems) {
      await manager.query(UPSERT_PROBLEM, [account.customerId, account.source, sourceId, detail]);
    }
    return { stored: result.invoices.length, skipped: result.problems.length };
  }

  /**
   * Deletes the problems of documents without an id that a complete run, which began at `since`, has not met: nothing else tells
   * that they are gone.
   */
  async forgetNameless(
    manager: EntityManager,
    { customerId, source }: Pick<SyncedAccount, 'customerId' | 'source'>,
    since: string,
  ): Promise<void> {
    await manager.query(`${DELETE_PROBLEMS} and seen_at < $4`, [customerId, source, NAMELESS, since]);
  }

  private async voidInvoices(manager: EntityManager, account: SyncedAccount, sourceIds: string[]): Promise<void> {
    if (sourceIds.length === 0) return;
    const { customerId, source } = account;
    const [rows] = await manager.query<[{ id: string }[], number]>(VOID_INVOICES, [customerId, source, sourceIds]);
    const ids = rows.map(({ id }) => id);
    await recordInvoiceEvents(manager, customerId, 'invoice.updated', ids, this.calendar.timeZone);
  }
}

/** Runs a statement for documents of the account, if there are any. */
async function change(
  manager: EntityManager,
  { customerId, source }: Pick<SyncedAccount, 'customerId' | 'source'>,
  statement: string,
  sourceIds: string[],
): Promise<void> {
  if (sourceIds.length > 0) await manager.query(statement, [customerId, source, sourceIds]);
}

/** Deletes documents that are another customer's, also from the events of the account's customer. */
async function deleteForeign(
  manager: EntityManager,
  { customerId, source }: Pick<SyncedAccount, 'customerId' | 'source'>,
  sourceIds: string[],
): Promise<void> {
  if (sourceIds.length === 0) return;
  const [rows] = await manager.query<[{ id: string }[], number]>(`${DELETE_DOCUMENTS} returning id`, [
    customerId,
    source,
    sourceIds,
  ]);
  const ids = rows.map(({ id }) => id);
  await forgetInvoiceEvents(manager, customerId, ids);
}

async function storeInvoices(manager: EntityManager, account: StoredAccount, documents: Documents): Promise<Documents> {
  const attempt = await tryToStore(manager, account, documents);
  if (attempt || documents.invoices.length === 0) return attempt ?? documents;
  // One of the documents is at fault: store each one by itself.
  const result: Documents = { invoices: [], problems: [...documents.problems] };
  for (const invoice of documents.invoices) {
    const alone = await tryToStore(manager, account, { invoices: [invoice], problems: [] });
    const refused: SourceProblem = { sourceId: invoice.sourceId, detail: 'The database cannot store it' };
    result.invoices.push(...(alone?.invoices ?? []));
    result.problems.push(...(alone?.problems ?? [refused]));
  }
  return result;
}

/** @returns the documents as they were stored; undefined if the database refused them as a whole */
async function tryToStore(
  manager: EntityManager,
  account: StoredAccount,
  documents: Documents,
): Promise<Documents | undefined> {
  try {
    // A nested transaction is a savepoint.
    return await manager.transaction(async (savepoint) => {
      const storable = await refuseTakenNumbers(savepoint, account, documents);
      await upsertInvoices(savepoint, account, storable.invoices);
      return storable;
    });
  } catch (error) {
    if (isDataRefused(error)) return undefined;
    throw error;
  }
}

/**
 * Claims the numbers of documents; drafts have none yet. Claiming a document's own number again changes nothing.
 * @returns the documents to store: one whose number another document of the company has, of any customer, becomes a problem
 */
async function refuseTakenNumbers(
  manager: EntityManager,
  { source, company = '' }: SyncedAccount,
  documents: Documents,
): Promise<Documents> {
  const numbered = documents.invoices.filter(({ status }) => status !== 'draft');
  if (numbered.length === 0) return documents;
  const numbers = numbered.map(({ type, number, sourceId }) => ({ type, number, source_id: sourceId }));
  const parameters = [source, company, JSON.stringify(numbers)];
  await manager.query(CLAIM_NUMBERS, parameters);
  const rows = await manager.query<{ source_id: string }[]>(TAKEN_NUMBERS, parameters);
  const taken = new Set(rows.map(({ source_id }) => source_id));
  if (taken.size === 0) return documents;
  const problems = numbered
    .filter(({ sourceId }) => taken.has(sourceId))
    .map(({ sourceId, number }) => ({
      sourceId,
      detail: `number: another invoice of ${source} has the number ${number}`,
    }));
  return {
    invoices: documents.invoices.filter(({ sourceId }) => !taken.has(sourceId)),
    problems: [...documents.problems, ...problems],
  };
}

/** Inserts or updates invoices. */
async function upsertInvoices(
  manager: EntityManager,
  { customerId, source, company, timeZone }: StoredAccount,
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
    company,
  ]);
  for (const other of others) {
    await deleteForeign(manager, { customerId: other.customer_id, source }, other.source_ids);
  }
  const visible = await manager.query<{ source_id: string }[]>(VISIBLE_DOCUMENTS, [
    customerId,
    source,
    [...bySourceId.keys()],
  ]);
  const known = new Set(visible.map(({ source_id }) => source_id));
  const stored = await manager.query<{ id: string; source_id: string; changed: boolean }[]>(UPSERT_INVOICES, [
    customerId,
    source,
    JSON.stringify(rows),
  ]);
  const added = stored.filter(({ source_id }) => !known.has(source_id));
  const changed = stored.filter(({ source_id, changed }) => changed && known.has(source_id));
  const ids = (some: typeof stored) => some.map(({ id }) => id);
  await recordInvoiceEvents(manager, customerId, 'invoice.created', ids(added), timeZone);
  await recordInvoiceEvents(manager, customerId, 'invoice.updated', ids(changed), timeZone);
}
