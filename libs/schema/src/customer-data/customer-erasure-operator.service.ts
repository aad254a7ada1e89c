import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Customer, unknownCustomer } from '@domains/customers';
import { AuditService } from '@platform/audit';
import { isDatabaseUnavailable } from '@platform/database';
import { ServiceError } from '@platform/errors';
import { announceTokenChange } from '@platform/tokens';
import { type CustomerTable, customerTables, type Erasure, readColumns, tablesInOrder } from './customer-tables';

/** Rows of a statement: none holds its locks for long, nor takes long, however many rows are blank already. */
const BATCH = 500;

/** The database, with a transaction or without. */
type Queryable = Pick<EntityManager, 'query'>;

/** Number of rows of a table that an erasure deleted, blanked or kept, or would. */
export interface ErasedRows {
  table: string;
  rows: number;
  done: 'deleted' | 'blanked' | 'kept';
}

const UNPAID_INVOICES = `select count(*)::int as count from invoice
  where customer_id = $1 and type = 'invoice' and status in ('draft', 'open')`;

/** Reasons against an erasure, each with the statement that counts it, and the remedy. */
const OBSTACLES = [
  {
    count: `select count(*)::int as count from ai_reservation where customer_id = $1 and state = 'pending'`,
    says: (count: number) => `${count} AI calls in progress: wait for their end`,
  },
  {
    count: `${UNPAID_INVOICES} and source = 'manual'`,
    says: (count: number) => `${count} unpaid invoices: set their status first (invoice set-status)`,
  },
  {
    // Their status is the source's.
    count: `${UNPAID_INVOICES} and source <> 'manual'`,
    says: (count: number) =>
      `${count} unpaid invoices or drafts in a billing source: settle or delete them there first, then sync (invoice sync)`,
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

/** Tables without whose rows no invoice is fetched from a billing source, and no AI call is made: erased before anything else is. */
const FIRST = ['invoice_sync_problem', 'invoice_sync', 'billing_account', 'ai_settings'];
/** Tables to which changes of other tables' rows add rows: erased when nothing is left that could. */
const LAST = ['webhook_delivery', 'event', 'event_position'];

/** Erases customers for the operator. */
@Injectable()
export class CustomerErasureOperatorService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly audit: AuditService,
  ) {}

  /**
   * Erases the personal data of a deactivated customer; rows that accounting law requires stay. Idempotent: run again, it
   * continues an interrupted erasure. It cannot be undone. @param dryRun only counts
   * @throws ServiceError not_found; invalid_request while the customer is active, or something is unsettled; service_unavailable or
   * internal_error where it was broken off
   */
  async erase(actor: string, customerId: string, { dryRun }: { dryRun: boolean }): Promise<ErasedRows[]> {
    const { number, erased } = await this.dataSource.transaction(async (manager) => {
      const customer = await this.lock(manager, customerId);
      const { customerNumber: number } = customer;
      if (customer.erasedAt) return { number, erased: [] };
      const first = dryRun ? [] : await endAdditions(manager, customerId);
      await this.refuseUnsettled(manager, customer);
      if (!dryRun) await this.mark(manager, customer, actor);
      return { number, erased: first };
    });
    const tables = tablesInOrder();
    const isLast = ({ table }: CustomerTable) => LAST.includes(table);
    try {
      // Rows that refer to others before those that they refer to.
      for (const table of [...tables.filter((one) => !isLast(one)).reverse(), ...tables.filter(isLast)])
        erased.push(await (dryRun ? countRows : eraseTable)(this.dataSource, table, customerId));
    } catch (error) {
      throw dryRun ? error : brokenOff(number, error);
    }
    return tables.map(({ table, erase }) => ({
      table,
      rows: erased.filter((one) => one.table === table).reduce((sum, { rows }) => sum + rows, 0),
      done: table === 'customer' ? 'blanked' : outcome(erase),
    }));
  }

  private async refuseUnsettled(manager: EntityManager, { id, active }: Customer): Promise<void> {
    if (active) throw new ServiceError('invalid_request', 'The customer is active: deactivate it first');
    const obstacles = await erasureObstacles(manager, id);
    if (obstacles.length > 0) throw new ServiceError('invalid_request', `The customer has ${obstacles.join('; ')}`);
  }

  /** From now on nothing can be done with the customer but to erase the rest. */
  private async mark(manager: EntityManager, { id, customerNumber, organizationNumber }: Customer, actor: string) {
    const kept = (await isInTheBooks(manager, id)) ? organizationNumber : '';
    const blank = { name: `Erased customer ${customerNumber}`, email: '', organizationNumber: kept };
    const now = () => 'app.now()';
    await manager.update(Customer, { id }, { ...blank, erasedAt: now, updatedAt: now });
    await announceTokenChange(manager, id);
    await this.audit.record(manager, { customerId: id, actor, action: 'customer.erase' });
  }

  private async lock(manager: EntityManager, id: string): Promise<Customer> {
    await manager.query('select from customer where id = $1 for no key update', [id]);
    const customer = await manager.findOneBy(Customer, { id });
    if (!customer) throw unknownCustomer(id);
    return customer;
  }
}

/** Names how to go on: by the name that it was erased by, the customer is not found any more. */
function brokenOff(customerNumber: string, cause: unknown): ServiceError {
  const away = isDatabaseUnavailable(cause);
  const why = away ? 'the database does not answer' : 'an error broke it off';
  return new ServiceError(
    away ? 'service_unavailable' : 'internal_error',
    `Only a part is erased: ${why}. The name is gone already; to go on: operator customer erase --customer ${customerNumber}`,
    { cause },
  );
}

/**
 * Removes the customer's links to billing sources and its AI settings, once a sync that is storing documents and an AI call that is
 * reserving credit have done so: what is there now is looked at and erased, and nothing is added. A deactivated customer's requests
 * go on if they were authenticated before.
 */
async function endAdditions(manager: EntityManager, customerId: string): Promise<ErasedRows[]> {
  await manager.query('select from invoice_sync where customer_id = $1 for update', [customerId]);
  // A call locks the account before it looks at the settings.
  await manager.query('select from ai_account where customer_id = $1 for no key update', [customerId]);
  const erased: ErasedRows[] = [];
  for (const table of customerTables.filter(({ table: name }) => FIRST.includes(name)).reverse())
    erased.push(await eraseTable(manager, table, customerId));
  return erased;
}

/** The reasons why a customer cannot be erased yet; none if it can. */
async function erasureObstacles(manager: EntityManager, customerId: string): Promise<string[]> {
  const found: string[] = [];
  for (const { count, says } of OBSTACLES) {
    const [row] = await manager.query<{ count: number }[]>(count, [customerId]);
    if (row && row.count > 0) found.push(says(row.count));
  }
  return found;
}

/** Whether the books mention a customer: accounting law requires its identity then. */
async function isInTheBooks(manager: EntityManager, customerId: string): Promise<boolean> {
  for (const table of ['invoice', 'ai_ledger_entry', 'ai_ledger_carried']) {
    const found = await manager.query<unknown[]>(`select 1 from ${table} where customer_id = $1 limit 1`, [customerId]);
    if (found.length > 0) return true;
  }
  return false;
}

/**
 * Deletes or blanks a customer's rows of a table, in batches of a transaction each. Idempotent: rows that are blank are not
 * touched again.
 */
async function eraseTable(database: Queryable, table: CustomerTable, customerId: string): Promise<ErasedRows> {
  const { erase, table: name } = table;
  const done = outcome(erase);
  if (done === 'kept') return countRows(database, table, customerId);
  if (erase.how === 'blank') {
    const blanks = Object.entries(erase.blanks).map(([column, value]) => `${column} = ${value}`);
    const blank = (rows: string) => `update ${name} set ${blanks.join(', ')} where ${rows} returning 1`;
    return { table: name, rows: await forEachRow(database, table, customerId, blank), done };
  }
  const keys = (await readColumns(database, name)).key.join(', ');
  const statement = `
    with chosen as (select ${keys} from ${name} where customer_id = $1 ${erase.atOnce ? '' : `limit ${BATCH}`}),
    changed as (delete from ${name} where customer_id = $1 and (${keys}) in (select ${keys} from chosen) returning 1)
    select count(*)::int as done from changed`;
  let rows = 0;
  for (let count = -1; count !== 0; rows += count) {
    const [row] = await database.query<{ done: number }[]>(statement, [customerId]);
    count = row?.done ?? 0;
  }
  return { table: name, rows, done };
}

/** Counts the rows of a table that an erasure would delete, blank or keep. */
async function countRows(database: Queryable, table: CustomerTable, customerId: string): Promise<ErasedRows> {
  const rows = await forEachRow(
    database,
    table,
    customerId,
    (chosen) => `select 1 from ${table.table} where ${chosen}`,
  );
  return { table: table.table, rows, done: outcome(table.erase) };
}

/**
 * Does something with each row of a customer that is not blank yet, in the order of the key, some at a time.
 * @param work makes the statement of the condition of its rows; it returns one for each
 * @returns the number of rows
 */
async function forEachRow(
  database: Queryable,
  { table, customerColumn = 'customer_id', erase }: CustomerTable,
  customerId: string,
  work: (rows: string) => string,
): Promise<number> {
  const { key } = await readColumns(database, table);
  const keys = key.join(', ');
  const behind = `and (${keys}) > (${key.map((_, index) => `$${index + 2}`).join(', ')})`;
  const statement = (after: string) => `
    with portion as materialized (
      select ${keys} from ${table} where ${customerColumn} = $1 ${after} order by ${keys} limit ${BATCH}),
    worked as (
      ${work(`${customerColumn} = $1 and (${keys}) in (select ${keys} from portion) ${toBlank(erase)}`)})
    select (select count(*) from worked)::int as done, (select count(*) from portion)::int as looked,
      (select to_json(p) from portion p order by ${key.map((column) => `p.${column} desc`).join(', ')} limit 1) as last`;
  let rows = 0;
  for (let last: Record<string, unknown> | null | undefined; last !== null;) {
    const values = last ? key.map((column) => last?.[column]) : [];
    const [row] = await database.query<{ done: number; looked: number; last: Record<string, unknown> | null }[]>(
      statement(last ? behind : ''),
      [customerId, ...values],
    );
    rows += row?.done ?? 0;
    last = row?.looked === BATCH ? row.last : null;
  }
  return rows;
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
