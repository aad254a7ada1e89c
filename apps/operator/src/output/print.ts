import { once } from 'node:events';
import type { CustomerLookupOperatorService } from '@domains/customers';
import { visibleJson } from '@platform/logging';
import { Listing } from '@platform/pagination';
import { timeText } from '@platform/time';
import { CsvRows, type ServiceCommand, TextParts } from '../commands/command';
import type { OutputFormat } from '../options/global-options';
import { csvText } from './csv';
import { fields, listTable, type Row } from './table';

/**
 * Prints a result on standard output: one JSON value for scripts, CSV, or a table or a list of fields for people. A
 * message on standard error says that a list goes on. Control characters are escaped: customers write much of the text,
 * and a terminal would obey them.
 */
export async function print(
  result: object,
  command: ServiceCommand,
  format: OutputFormat,
  customers: CustomerLookupOperatorService,
): Promise<void> {
  let empty = true;
  for await (const text of printed(result, command, format, customers)) {
    empty = false;
    await write(text);
  }
  if (empty && !command.saysIfEmpty) process.stderr.write('Nothing to list\n');
  if ((result instanceof Listing || result instanceof CsvRows) && result.next !== null) {
    process.stderr.write(`There is more: continue with --after ${result.next}, or raise --limit\n`);
  }
}

async function* printed(
  result: object,
  command: ServiceCommand,
  format: OutputFormat,
  customers: CustomerLookupOperatorService,
): AsyncGenerator<string> {
  const named = (rows: object[]) => withCustomerNames(plainValue(rows) as Row[], command, customers);
  if (result instanceof TextParts) {
    for await (const part of result.parts) yield visibleJson(part);
  } else if (result instanceof CsvRows || Symbol.asyncIterator in result) {
    yield* csvText(result, command, named);
  } else {
    const plain = plainValue(result instanceof Listing ? result.rows : result) as Row | Row[];
    if (format === 'json') yield `${visibleJson(JSON.stringify(plain, null, 2))}\n`;
    else if (format === 'csv') yield* csvText(Array.isArray(plain) ? plain : [plain], command, named);
    else if (Array.isArray(plain) && plain.length === 0) return;
    else if (Array.isArray(plain)) yield `${listTable(await named(plain), command, format === 'wide')}\n`;
    else yield `${fields(plain)}\n`;
  }
}

/** Writes on standard output, no faster than it is taken. */
async function write(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
}

/** A result in the form of JSON: names in snake case, times as texts. */
function plainValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plainValue);
  if (value instanceof Date) return timeText(value);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      // The keys of JSON that an operator stored are not changed to snake case.
      name === 'config' || name === 'metadata' ? part : plainValue(part),
    ]),
  );
}

/** Adds customers' numbers and names to rows, if the command's table has them: people know no ids. */
async function withCustomerNames(
  rows: Row[],
  { columns }: ServiceCommand,
  customers: CustomerLookupOperatorService,
): Promise<Row[]> {
  if (!columns?.includes('customer')) return rows;
  const ids = new Set(rows.map((row) => String(row.customer_id)));
  const known = await customers.namesOf([...ids]);
  return rows.map((row) => {
    const customer = known.get(String(row.customer_id));
    return { ...row, customer_number: customer?.customerNumber ?? null, customer: customer?.name ?? null };
  });
}
