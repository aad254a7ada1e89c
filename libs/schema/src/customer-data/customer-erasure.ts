import type { DataSource, EntityManager } from 'typeorm';
import { type CustomerTable, type Erasure, readColumns } from './customer-tables';

/** Rows of a statement: none holds its locks for long. */
const BATCH = 500;

/** What an erasure did with the rows of a table, or would do. */
export interface ErasedRows {
  table: string;
  rows: number;
  done: 'deleted' | 'blanked' | 'kept';
}

/**
 * Deletes or blanks a customer's rows of a table, in batches of a transaction each. Idempotent: rows that are blank are not
 * touched again.
 */
export async function eraseTable(
  dataSource: DataSource,
  table: CustomerTable,
  customerId: string,
): Promise<ErasedRows> {
  const done = outcome(table.erase);
  if (done === 'kept') return countRows(dataSource, table, customerId);
  const statement = await eraseStatement(dataSource, table);
  let rows = 0;
  for (let count = -1; count !== 0; rows += count) {
    const [row] = await dataSource.query<{ done: number }[]>(statement, [customerId]);
    count = row?.done ?? 0;
  }
  return { table: table.table, rows, done };
}

/** How many rows of a table an erasure would delete, blank or keep. */
export async function countRows(
  dataSource: DataSource,
  { table, customerColumn = 'customer_id', erase }: CustomerTable,
  customerId: string,
): Promise<ErasedRows> {
  const [row] = await dataSource.query<{ count: number }[]>(
    `select count(*)::int as count from ${table} where ${customerColumn} = $1 ${toBlank(erase)}`,
    [customerId],
  );
  return { table, rows: row?.count ?? 0, done: outcome(erase) };
}

async function eraseStatement(dataSource: DataSource, { table, erase }: CustomerTable): Promise<string> {
  const { key } = await readColumns(dataSource, table);
  const keys = key.join(', ');
  const batch = erase.how === 'delete' && erase.atOnce ? '' : `limit ${BATCH}`;
  const change =
    erase.how === 'delete'
      ? `delete from ${table}`
      : `update ${table} set ${Object.entries(erase.blanks)
          .map(([column, value]) => `${column} = ${value}`)
          .join(', ')}`;
  return `
    with chosen as (select ${keys} from ${table} where customer_id = $1 ${toBlank(erase)} ${batch}),
    changed as (${change} where customer_id = $1 and (${keys}) in (select ${keys} from chosen) returning 1)
    select count(*)::int as done from changed`;
}

function outcome(erase: Erasure): ErasedRows['done'] {
  if (erase.how === 'delete') return 'deleted';
  return Object.keys(erase.blanks).length > 0 ? 'blanked' : 'kept';
}

/** The condition of the rows that are not blank yet. */
function toBlank(erase: Erasure): string {
  if (erase.how === 'delete' || Object.keys(erase.blanks).length === 0) return '';
  const filled = Object.entries(erase.blanks).map(([column, value]) => `${column} is distinct from ${value}`);
  return `and (${filled.join(' or ')}) ${erase.except ? `and not (${erase.except})` : ''}`;
}

/** Reasons against an erasure, each with the statement that counts it, and what to do. */
const OBSTACLES = [
  {
    count: `select count(*)::int as count from ai_reservation where customer_id = $1 and state = 'pending'`,
    says: (count: number) => `${count} AI calls in progress: wait for their end`,
  },
  {
    count: `select count(*)::int as count from invoice where customer_id = $1 and status in ('draft', 'open')`,
    says: (count: number) => `${count} unpaid invoices: set their status first (invoice set-status)`,
  },
  {
    count: `select count(*)::int as count from ai_credit_request where customer_id = $1 and status = 'pending'`,
    says: (count: number) => `${count} pending credit requests: approve or reject them first`,
  },
  {
    count: `select count(*)::int as count from ai_account where customer_id = $1 and purchased > 0`,
    says: () =>
      'purchased AI credit that is left: pay it back and book that first (ai credit --kind manual_adjustment)',
  },
];

/** Why a customer cannot be erased yet, a sentence each; none if it can. */
export async function erasureObstacles(manager: EntityManager, customerId: string): Promise<string[]> {
  const found: string[] = [];
  for (const { count, says } of OBSTACLES) {
    const [row] = await manager.query<{ count: number }[]>(count, [customerId]);
    if (row && row.count > 0) found.push(says(row.count));
  }
  return found;
}

/** Whether the books mention a customer: then accounting law wants to know who it was. */
export async function isInTheBooks(manager: EntityManager, customerId: string): Promise<boolean> {
  for (const table of ['invoice', 'ai_ledger_entry', 'ai_ledger_carried']) {
    const found = await manager.query<unknown[]>(`select 1 from ${table} where customer_id = $1 limit 1`, [customerId]);
    if (found.length > 0) return true;
  }
  return false;
}
