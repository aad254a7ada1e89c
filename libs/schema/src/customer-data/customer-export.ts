import type { DataSource } from 'typeorm';
import { type CustomerTable, readColumns } from './customer-tables';

/** Rows of a portion: one that is read in milliseconds, whatever it holds. */
const PORTION = 500;

/** A portion of a customer's rows of a table. */
export interface ExportedRows {
  table: string;
  /** Columns by name; amounts as text, exactly as they are stored. */
  rows: Record<string, unknown>[];
}

/**
 * All rows of a customer in a table, in the order of its key, portion by portion; one empty portion if there are none. Each portion is
 * a statement of its own, so that a large export holds up nothing; what is written meanwhile may be in it or not.
 */
export async function* exportTable(
  dataSource: DataSource,
  { table, customerColumn = 'customer_id', hides = [] }: CustomerTable,
  customerId: string,
): AsyncGenerator<ExportedRows> {
  const { columns, key } = await readColumns(dataSource, table);
  const shown = columns.filter((column) => !hides.includes(column) || key.includes(column));
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
