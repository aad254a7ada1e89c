import type { DataSource } from 'typeorm';
import { migrations } from '../migrations';

/** A table with customers' rows: their erasure, and the columns that an export leaves out. */
export interface CustomerTable {
  table: string;
  /** The column that names the customer, if it is not `customer_id`. */
  customerColumn?: string;
  erase: Erasure;
  /** Columns that an export leaves out: secrets, and data that only the program understands. */
  hides?: readonly string[];
  /** Columns of which an export shows a part: the SQL of that. */
  shows?: Readonly<Record<string, string>>;
}

/**
 * - `delete`: the rows go. `atOnce`: in one statement, because the rows refer to one another; for tables with few rows of each customer.
 * - `blank`: the rows stay, for the books or as evidence, without personal data: each column gets a value (SQL).
 *   `keeps` names every other column of text or JSON, which must not have anything personal. `except`: rows that stay whole.
 */
export type Erasure =
  | { how: 'delete'; atOnce?: true }
  | { how: 'blank'; blanks: Readonly<Record<string, string>>; keeps: readonly string[]; except?: string };

/** An author without the name, if it is a person of the operator. */
const AUTHOR = `case when actor like 'operator:%' then 'operator' else actor end`;

/**
 * Every table whose rows belong to a customer. Customers do not learn who of the operator's people works for them: exports have no names of
 * assignees, authors and approvers. Rows that accounting law asks for stay: invoices, the credit ledger with its
 * accounts, usage and reservations' sums. A test compares the list with the database, columns included.
 */
export const customerTables: readonly CustomerTable[] = [
  {
    table: 'customer',
    // Marked and blanked first, by itself: its name, e-mail and, if the books do not need it, organisation number.
    customerColumn: 'id',
    erase: { how: 'blank', blanks: {}, keeps: ['name', 'organization_number', 'customer_number', 'email'] },
  },
  { table: 'service_token', erase: { how: 'delete', atOnce: true }, hides: ['token_hash'] },
  { table: 'service_token_use', erase: { how: 'delete' } },
  { table: 'customer_service', erase: { how: 'delete' } },
  { table: 'status_event', erase: { how: 'delete' } },
  { table: 'stored_bytes', erase: { how: 'delete' } },
  { table: 'support_ticket', erase: { how: 'delete' } },
  { table: 'support_ticket_reply', erase: { how: 'delete' } },
  { table: 'support_ticket_assignment', erase: { how: 'delete' }, hides: ['assignee'] },
  {
    table: 'audit_log',
    // Actor, action and time stay; details of the customer go.
    erase: {
      how: 'blank',
      blanks: { metadata: `'{}'` },
      keeps: ['actor', 'action'],
      except: `action = 'customer.erase'`,
    },
    shows: {
      actor: AUTHOR,
      metadata: `case when action in ('ticket.assign', 'ticket.unassign') then metadata - 'from' - 'to'
        when action like 'credit-request.%' then metadata - 'replaces' else metadata end`,
    },
  },
  {
    table: 'idempotency_key',
    erase: { how: 'delete' },
    hides: ['key_hash', 'fingerprint', 'secrets_key', 'reply'],
  },
  { table: 'ai_settings', erase: { how: 'delete' }, hides: ['key_ciphertext'] },
  { table: 'ai_account', erase: { how: 'blank', blanks: {}, keeps: ['month', 'told_thresholds'] } },
  { table: 'ai_reservation', erase: { how: 'delete' }, hides: ['key_hash', 'reason'] },
  {
    table: 'ai_usage',
    erase: {
      how: 'blank',
      // A request's id is the caller's own text.
      blanks: { request_id: 'null', api_request_id: 'null' },
      keeps: ['provider', 'model', 'currency'],
    },
  },
  { table: 'ai_usage_day', erase: { how: 'blank', blanks: {}, keeps: ['model'] } },
  {
    table: 'ai_ledger_entry',
    erase: { how: 'blank', blanks: { note: 'null' }, keeps: ['kind', 'bucket', 'month', 'actor'] },
    shows: { actor: AUTHOR },
  },
  { table: 'ai_ledger_carried', erase: { how: 'blank', blanks: {}, keeps: ['bucket'] } },
  {
    table: 'ai_credit_request',
    erase: {
      how: 'blank',
      blanks: { note: 'null', reference: 'null', reason: 'null' },
      keeps: ['status', 'decided_by'],
    },
    hides: ['decided_by'],
  },
  {
    table: 'ai_credit_request_approval',
    erase: { how: 'blank', blanks: {}, keeps: ['approved_by', 'invoice_number'] },
    hides: ['approved_by'],
  },
  {
    table: 'invoice',
    erase: {
      how: 'blank',
      // Links lead to pages with a name and an address.
      blanks: { pdf_url: 'null', pdf_reference: 'null', hosted_url: 'null' },
      keeps: ['source', 'source_id', 'type', 'number', 'status', 'currency', 'kid'],
    },
  },
  // With its syncs and their problems: nothing is fetched again.
  { table: 'billing_account', erase: { how: 'delete' } },
  { table: 'invoice_sync', erase: { how: 'delete' } },
  { table: 'invoice_sync_problem', erase: { how: 'delete' } },
  { table: 'sms_settings', erase: { how: 'delete' } },
  { table: 'sms_daily_count', erase: { how: 'delete' } },
  { table: 'sms_message', erase: { how: 'delete' } },
  { table: 'refused_request', erase: { how: 'delete' } },
  { table: 'event', erase: { how: 'delete' } },
  { table: 'event_position', erase: { how: 'delete' } },
  {
    table: 'webhook_endpoint',
    erase: { how: 'delete' },
    hides: ['secret_ciphertext', 'former_secrets'],
  },
  { table: 'webhook_delivery', erase: { how: 'delete' } },
];

/** The customers' tables in the order in which they are created: each after those that it refers to. */
export function tablesInOrder(): CustomerTable[] {
  const order = migrations.flatMap((Migration) => new Migration().tables);
  return [...customerTables].sort((a, b) => order.indexOf(a.table) - order.indexOf(b.table));
}

/** The columns of a table, and those of its primary key, in their order. */
export interface TableColumns {
  columns: string[];
  key: string[];
}

const COLUMNS = `
  select a.attname as name, array_position(k.conkey, a.attnum) as place
  from pg_attribute a
  join pg_constraint k on k.conrelid = a.attrelid and k.contype = 'p'
  where a.attrelid = ('public.' || quote_ident($1))::regclass and a.attnum > 0 and not a.attisdropped
  order by a.attnum`;

/** Reads the columns of a table from the catalogue. */
export async function readColumns(database: Pick<DataSource, 'query'>, table: string): Promise<TableColumns> {
  const rows = await database.query<{ name: string; place: number | null }[]>(COLUMNS, [table]);
  const key = rows
    .filter(({ place }) => place !== null)
    .sort((a, b) => Number(a.place) - Number(b.place))
    .map(({ name }) => name);
  return { columns: rows.map(({ name }) => name), key };
}
