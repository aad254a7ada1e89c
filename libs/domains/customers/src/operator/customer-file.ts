import { CsvFault, parseCsv } from '@platform/csv';
import { ServiceError } from '@platform/errors';
import type { CustomerLine } from './new-customer';

/** Lines that a file may have. */
const MOST_LINES = 20_000;

/** Columns by the names that they may have. */
const COLUMNS: Record<string, keyof CustomerLine> = {
  name: 'name',
  org_number: 'organizationNumber',
  organization_number: 'organizationNumber',
  email: 'email',
  customer_number: 'customerNumber',
};

/** The reason why a text is no file of customers. */
export class CustomerFileError extends ServiceError {
  override readonly name = 'CustomerFileError';

  constructor(detail: string) {
    super('invalid_request', detail);
  }
}

/** The customers of a CSV text. @throws CustomerFileError for a text that has not these columns */
export function parseCustomerFile(text: string): CustomerLine[] {
  const [head, ...lines] = parsed(text);
  const columns = (head?.cells ?? []).map((name) => COLUMNS[name.trim().toLowerCase().replaceAll(/[ -]/g, '_')]);
  const unknown = head?.cells.find((_, at) => columns[at] === undefined);
  if (unknown !== undefined)
    throw new CustomerFileError(`Unknown column ${unknown}; there are ${Object.keys(COLUMNS).join(', ')}`);
  for (const name of ['name', 'organizationNumber', 'email'] as const) {
    if (!columns.includes(name)) throw new CustomerFileError(`The first line names no column ${columnName(name)}`);
  }
  if (new Set(columns).size < columns.length) throw new CustomerFileError('The first line names a column twice');
  if (lines.length === 0) throw new CustomerFileError('The file has no customer');
  if (lines.length > MOST_LINES) throw new CustomerFileError(`The file has more than ${MOST_LINES} lines: split it`);
  return lines.map(({ line, cells }) => {
    if (cells.length > columns.length) throw new CustomerFileError(`Line ${line} has more cells than the first line`);
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
    throw error instanceof CsvFault ? new CustomerFileError(error.message) : error;
  }
}
