import { CsvTable } from '@platform/csv';
import { jsonAmount } from '@platform/money';
import { CsvRows } from '../commands/csv-rows';
import type { ServiceCommand } from '../commands/command';
import type { Row } from './print-table';
import { write } from './write';

/** Prints rows as CSV (RFC 4180), while they are read. */
export async function printCsv(
  rows: object,
  { columns, moreColumns = [] }: ServiceCommand,
  named: (rows: object[]) => Promise<Row[]>,
): Promise<void> {
  if (rows instanceof CsvRows) return writeRows(new CsvTable(rows.columns), rows.portions, rows.toRecord);
  const portions = Symbol.asyncIterator in rows ? (rows as AsyncIterable<object[]>) : [rows as object[]];
  let csv = columns && new CsvTable([...columns, ...moreColumns]);
  let headed = false;
  for await (const portion of portions) {
    const records = await named(portion);
    csv ??= new CsvTable(Object.keys(records[0] ?? {}));
    await write((headed ? '' : csv.head) + records.map((record) => csv?.record(csvCells(record))).join(''));
    headed = true;
  }
}

async function writeRows<Made>(
  csv: CsvTable,
  portions: AsyncIterable<Made[]>,
  toRecord: (row: Made) => object,
): Promise<void> {
  await write(csv.head);
  for await (const rows of portions) await write(rows.map((row) => csv.record(toRecord(row))).join(''));
}

/** Amounts stay numbers, lists become words, other objects JSON. */
function csvCells(record: Row): object {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => {
      if (Array.isArray(value) && value.every((part) => typeof part !== 'object')) return [name, value.join(' ')];
      if (typeof value === 'object' && value !== null) return [name, JSON.stringify(value)];
      return [name, isAmount(name, value) ? jsonAmount(value) : value];
    }),
  );
}

function isAmount(name: string, value: unknown): value is string {
  return typeof value === 'string' && /^-?\d+\.\d+$/.test(value) && !name.endsWith('number');
}
