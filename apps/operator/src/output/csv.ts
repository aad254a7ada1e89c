import { CsvTable } from '@platform/csv';
import { visibleLines } from '@platform/logging';
import { jsonAmount } from '@platform/money';
import { CsvRows, type ServiceCommand } from '../commands/command';
import { isAmount } from './amount-columns';
import type { Row } from './table';

/** Rows as CSV (RFC 4180), portion by portion. `named` makes records of rows. */
export async function* csvText(
  rows: object,
  { columns, moreColumns = [] }: ServiceCommand,
  named: (rows: object[]) => Promise<Row[]>,
): AsyncGenerator<string> {
  if (rows instanceof CsvRows) {
    yield* ownColumns(rows);
    return;
  }
  const portions = Symbol.asyncIterator in rows ? (rows as AsyncIterable<object[]>) : [rows as object[]];
  let csv = columns && new CsvTable([...columns, ...moreColumns]);
  let headed = false;
  for await (const portion of portions) {
    const records = await named(portion);
    csv ??= new CsvTable(Object.keys(records[0] ?? {}));
    yield (headed ? '' : csv.head) + records.map((record) => csv?.record(csvCells(record))).join('');
    headed = true;
  }
}

async function* ownColumns({ columns, portions }: CsvRows<unknown>): AsyncGenerator<string> {
  const csv = new CsvTable(Object.keys(columns));
  const cells = Object.entries(columns);
  const record = (row: unknown) => csv.record(Object.fromEntries(cells.map(([name, of]) => [name, visible(of(row))])));
  yield csv.head;
  for await (const rows of portions) yield rows.map(record).join('');
}

/** Amounts stay numbers, lists become words, other objects JSON. */
function csvCells(record: Row): object {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => {
      if (Array.isArray(value) && value.every((part) => typeof part !== 'object'))
        return [name, visible(value.join(' '))];
      if (typeof value === 'object' && value !== null) return [name, visible(JSON.stringify(value))];
      return [name, isAmount(name, value) ? jsonAmount(value) : visible(value)];
    }),
  );
}

/** A cell's value; control characters of texts are escaped, but for line ends, which CSV has. */
function visible(value: unknown): unknown {
  return typeof value === 'string' ? visibleLines(value) : value;
}
