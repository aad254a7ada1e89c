import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import type { CustomerLine } from '@domains/customers';
import { CsvFault, parseCsv } from '@platform/csv';
import { usageError } from '../command-error';

/** Bytes of a file that is read at most, and its lines. */
const MOST_BYTES = 10_000_000;
const MOST_LINES = 20_000;

/** Columns by the names that they may have. */
const COLUMNS: Record<string, keyof CustomerLine> = {
  name: 'name',
  org_number: 'organizationNumber',
  organization_number: 'organizationNumber',
  email: 'email',
  customer_number: 'customerNumber',
};

/** Reads a CSV file of customers; `-` is standard input. @throws CommandError for a file that has not these columns */
export async function readCustomerFile(path: string): Promise<CustomerLine[]> {
  const [head, ...lines] = parsed(await textOf(path));
  const columns = (head?.cells ?? []).map((name) => COLUMNS[name.trim().toLowerCase().replaceAll(/[ -]/g, '_')]);
  const unknown = head?.cells.find((_, at) => columns[at] === undefined);
  if (unknown !== undefined)
    throw usageError(`Unknown column ${unknown}; there are ${Object.keys(COLUMNS).join(', ')}`);
  for (const name of ['name', 'organizationNumber', 'email'] as const) {
    if (!columns.includes(name)) throw usageError(`The first line names no column ${columnName(name)}`);
  }
  if (new Set(columns).size < columns.length) throw usageError('The first line names a column twice');
  if (lines.length === 0) throw usageError('The file has no customer');
  if (lines.length > MOST_LINES) throw usageError(`The file has more than ${MOST_LINES} lines: split it`);
  return lines.map(({ line, cells }) => {
    if (cells.length > columns.length) throw usageError(`Line ${line} has more cells than the first line`);
    const value = (name: keyof CustomerLine) => (cells[columns.indexOf(name)] ?? '').trim();
    const customerNumber = value('customerNumber');
    const organizationNumber = value('organizationNumber').replaceAll(/\s/g, '');
    return {
      ...{ line, name: value('name'), organizationNumber, email: value('email') },
      ...(customerNumber !== '' && { customerNumber }),
    };
  });
}

function columnName(column: keyof CustomerLine): string {
  return Object.keys(COLUMNS).find((name) => COLUMNS[name] === column) ?? column;
}

function parsed(text: string) {
  try {
    return parseCsv(text);
  } catch (error) {
    throw error instanceof CsvFault ? usageError(error.message) : error;
  }
}

async function textOf(path: string): Promise<string> {
  const bytes = path === '-' ? await buffer(process.stdin) : await fileOf(path);
  if (bytes.length > MOST_BYTES) throw usageError(`The file has more than ${MOST_BYTES} bytes: split it`);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw usageError('The file is not in UTF-8: save it as "CSV UTF-8"');
  }
}

async function fileOf(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    throw usageError(`The file cannot be read: ${(error as NodeJS.ErrnoException).code ?? String(error)}`);
  }
}
