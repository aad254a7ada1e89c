import type { CustomerLookupOperatorService } from '@domains/customers';
import { visibleJson } from '@platform/logging';
import { Listing } from '@platform/pagination';
import type { ServiceCommand } from '../commands/command';
import { CsvRows } from '../commands/csv-rows';
import { TextParts } from '../commands/text-parts';
import type { OutputFormat } from '../program/common-options';
import { plainValue } from './plain-value';
import { printCsv } from './print-csv';
import { fields, listTable, type Row } from './print-table';
import { withCustomerNames } from './with-customer-names';
import { write } from './write';

/**
 * Prints a result on standard output: one JSON value for scripts, CSV, or a table or a list of fields for people. That a
 * list goes on is said on standard error. Control characters are escaped: customers write much of the text, and a
 * terminal would obey them.
 */
export async function print(
  result: object,
  command: ServiceCommand,
  format: OutputFormat,
  customers: CustomerLookupOperatorService,
): Promise<void> {
  const named = (rows: object[]) => withCustomerNames(plainValue(rows) as Row[], command, customers);
  if (result instanceof TextParts) {
    for await (const part of result.parts) await write(visibleJson(part));
    return;
  }
  if (result instanceof CsvRows || Symbol.asyncIterator in result) return printCsv(result, command, named);
  const plain = plainValue(result instanceof Listing ? result.rows : result) as Row | Row[];
  if (format === 'json') await write(`${visibleJson(JSON.stringify(plain, null, 2))}\n`);
  else if (format === 'csv') await printCsv(Array.isArray(plain) ? plain : [plain], command, named);
  else if (Array.isArray(plain)) await write(`${listTable(await named(plain), command, format === 'wide')}\n`);
  else await write(`${fields(plain)}\n`);
  if (result instanceof Listing && result.next !== null) {
    process.stderr.write(`There is more: continue with --after ${result.next}, or raise --limit\n`);
  }
}
