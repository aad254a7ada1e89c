import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Customer, unknownCustomer } from '@domains/customers';
import { AuditService } from '@platform/audit';
import { type CustomerTable, readColumns, tablesInOrder } from './customer-tables';

/** Rows of a portion. Even one of large rows is read in milliseconds. */
const PORTION = 500;

/** A portion of a customer's rows of a table. */
export interface ExportedRows {
  table: string;
  /** Columns by name; amounts as text, exactly as they are stored. */
  rows: Record<string, unknown>[];
}

/** Exports all data of a customer for the operator, such as for a request of access. */
@Injectable()
export class CustomerExportOperatorService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly audit: AuditService,
  ) {}

  /** All rows of a customer as the parts of one JSON value, see {@link export}. @throws ServiceError not_found */
  async exportJson(actor: string, customerId: string): Promise<AsyncGenerator<string>> {
    return begun(jsonOf(this.export(actor, customerId)));
  }

  /**
   * All rows of a customer, table by table. Without secrets; with the operator's own notes, and with drafts of invoices: to be
   * read before it is handed over. The export is audited. Each portion is a statement of its own, so that a large export
   * locks nothing; rows written meanwhile may be in it or not. @throws ServiceError not_found
   */
  async *export(actor: string, customerId: string): AsyncGenerator<ExportedRows> {
    await this.dataSource.transaction(async (manager) => {
      if (!(await manager.existsBy(Customer, { id: customerId }))) throw unknownCustomer(customerId);
      await this.audit.record(manager, { customerId, actor, action: 'customer.export' });
    });
    for (const table of tablesInOrder()) yield* exportTable(this.dataSource, table, customerId);
  }
}

/** Parts of which the first has been read: a failure before it is the caller's own, not one of a text that has begun. */
async function begun(parts: AsyncGenerator<string>): Promise<AsyncGenerator<string>> {
  const first = await parts.next();
  return (async function* () {
    if (!first.done) yield first.value;
    yield* parts;
  })();
}

/** `{"table": [rows…], …}`; the portions of a table follow each other. */
async function* jsonOf(portions: AsyncIterable<ExportedRows>): AsyncGenerator<string> {
  let open: string | undefined;
  let rowsBefore = 0;
  for await (const { table, rows } of portions) {
    if (table !== open) {
      yield `${open === undefined ? '{' : '],'}\n${JSON.stringify(table)}: [`;
      open = table;
      rowsBefore = 0;
    }
    yield rows.map((row, at) => `${rowsBefore + at > 0 ? ',' : ''}\n  ${JSON.stringify(row)}`).join('');
    rowsBefore += rows.length;
  }
  yield open === undefined ? '{}\n' : ']\n}\n';
}

/** All rows of a customer in a table, in the order of its key, portion by portion; one empty portion if there are none. */
async function* exportTable(
  dataSource: DataSource,
  { table, customerColumn = 'customer_id', hides = [], shows = {} }: CustomerTable,
  customerId: string,
): AsyncGenerator<ExportedRows> {
  const { columns, key } = await readColumns(dataSource, table);
  const read = columns.filter((column) => !hides.includes(column) || key.includes(column));
  const shown = read.map((column) => (shows[column] === undefined ? column : `${shows[column]} as ${column}`));
  const places = key.map((_, index) => `$${index + 3}`).join(', ');
  const page = (after: string) =>
    `select ${shown.join(', ')} from ${table} where ${customerColumn} = $1 ${after}
     order by ${key.join(', ')} limit $2`;
  for (let last: Record<string, unknown> | undefined; ;) {
    const rows: Record<string, unknown>[] = await dataSource.query(
      page(last ? `and (${key.join(', ')}) > (${places})` : ''),
      [customerId, PORTION, ...(last ? key.map((column) => last?.[column]) : [])],
    );
    if (rows.length > 0 || !last) yield { table, rows: rows.map((row) => without(row, hides)) };
    if (rows.length < PORTION) return;
    last = rows.at(-1);
  }
}

function without(row: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)));
}
