import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { ServiceError } from '@platform/errors';
import { flag, optional, required } from '../options/option';
import * as read from '../options/read';
import { customer, limit } from '../options/customer-and-list-options';
import { commandsWith, type Noun, TextParts } from './command';
import { usageError } from '../command-error';

const command = commandsWith(() => import('../services/customers.services.js'));
const dataCommand = commandsWith(() => import('../services/customer-data.services.js'));

/** Bytes of a file that is read at most. */
const MOST_BYTES = 10_000_000;

/** Whom a question is about: by number and name, as an id tells nobody. */
const describe = async (
  _services: unknown,
  { customer }: { customer: string },
  nameOf: (customerId: string) => Promise<string>,
): Promise<string> => `Customer ${await nameOf(customer)}`;

const create = command({
  name: 'create',
  description: 'add a customer',
  options: {
    name: required('--name <name>', 'name of the company'),
    orgNumber: required('--org-number <number>', 'Norwegian organisation number'),
    email: required('--email <address>', 'address that the operator writes to'),
    customerNumber: optional('--customer-number <number>', 'number of your own; default the next free one'),
  },
  examples: ['--name "Fjordlys AS" --org-number 974760673 --email it@fjordlys.example'],
  run: ({ customers }, { name, orgNumber, email, customerNumber }, { actor }) =>
    customers.create(actor, { name, organizationNumber: orgNumber, email, customerNumber }),
});

const importFile = command({
  name: 'import',
  description: 'add the customers of a CSV file, all or none',
  options: {
    file: required(
      '--file <path>',
      'CSV in UTF-8 with a first line of columns: name, org_number, email and, if you like, customer_number; - is standard input',
    ),
    dryRun: flag('--dry-run', 'only check every line'),
  },
  examples: ['--file customers.csv --dry-run', '--file - --yes < customers.csv'],
  confirm: ({ file, dryRun }) => (dryRun || file === '-' ? undefined : `All customers in ${file} are added. Go on?`),
  columns: ['line', 'result', 'customer_number', 'name', 'problem', 'id'],
  async run({ customerImport }, { file, dryRun = false }, { actor, foundFault }) {
    const lines = await customerImport.importFile(actor, await readTextFile(file), dryRun).catch(asUsageError);
    if (lines.some(({ result }) => result === 'refused')) foundFault();
    return lines;
  },
});

/** The text of a file; `-` is standard input. @throws CommandError */
async function readTextFile(path: string): Promise<string> {
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

/** A file that is no file of customers was given by mistake. */
function asUsageError(error: unknown): never {
  throw error instanceof ServiceError && error.name === 'CustomerFileError' ? usageError(error.detail) : error;
}

const list = command({
  name: 'list',
  description: 'list customers, by number',
  options: {
    search: optional('--search <text>', 'only those whose name, number, organisation number or e-mail has this text'),
    state: optional(
      '--state <state>',
      'only those in this state',
      read.oneOf<'active' | 'inactive'>()('active', 'inactive'),
    ),
    limit,
    after: optional('--after <number>', 'only customers that follow the one with this number'),
  },
  examples: ['', '--search fjord', '--state inactive --csv'],
  reads: true,
  columns: ['customer_number', 'name', 'organization_number', 'email', 'active', 'id'],
  async run({ customers }, { search, state }, { listing }) {
    const active = state === undefined ? undefined : state === 'active';
    const found = await customers.list({ search, active }, listing);
    return found.map(({ id, customerNumber, name, organizationNumber, email, active }) => ({
      ...{ id, customerNumber, name, organizationNumber, email, active },
    }));
  },
});

const show = command({
  name: 'show',
  description: 'show a customer and its limits',
  options: { customer },
  examples: ['--customer 100001', '--customer "Fjordlys AS" --json'],
  reads: true,
  run: ({ customers }, { customer }) => customers.find(customer),
});

const change = command({
  name: 'change',
  description: "correct a customer's name, e-mail address or organisation number",
  options: {
    customer,
    name: optional('--name <name>', 'name of the company'),
    email: optional('--email <address>', 'address that the operator writes to'),
    orgNumber: optional('--org-number <number>', 'Norwegian organisation number'),
  },
  examples: ['--customer 100001 --name "Fjordlys Drift AS"', '--customer 100001 --email drift@fjordlys.example'],
  run: ({ customers }, { customer, name, email, orgNumber }, { actor }) =>
    customers.changeDetails(actor, customer, { name, email, organizationNumber: orgNumber }),
});

const activate = command({
  name: 'activate',
  description: "accept a customer's tokens again",
  options: { customer },
  examples: ['--customer 100001'],
  run: ({ customers }, { customer }, { actor }) => customers.setActive(actor, customer, true),
});

const deactivate = command({
  name: 'deactivate',
  description: "refuse all of a customer's tokens",
  options: { customer },
  examples: ['--customer 100001'],
  about: describe,
  confirm: () => 'All its tokens are refused at once. Go on?',
  run: ({ customers }, { customer }, { actor }) => customers.setActive(actor, customer, false),
});

const limits = command({
  name: 'limits',
  description: 'set limits of a customer',
  options: {
    customer,
    requestsPerMinute: optional(
      '--requests-per-minute <n>',
      'requests per minute on all routes, or default',
      read.limit,
    ),
    aiPerMinute: optional('--ai-per-minute <n>', 'AI messages per minute, or default', read.limit),
    smsPerMinute: optional('--sms-per-minute <n>', 'SMS per minute, or default', read.limit),
    pendingCreditRequests: optional(
      '--pending-credit-requests <n>',
      'credit requests that may be pending, or default',
      read.limit,
    ),
  },
  examples: ['--customer 100001 --requests-per-minute 1200 --sms-per-minute default'],
  run: ({ customers }, { customer, ...limits }, { actor }) => customers.setLimits(actor, customer, limits),
});

const storage = command({
  name: 'storage',
  description: 'list the customers that stored most bytes in tickets, SMS and kept replies, by day of UTC',
  options: {
    days: optional('--days <n>', 'of the last days, today among them; default 1, at most 31', read.from1To(31)),
    limit: optional('--limit <n>', 'customers at most; default 20', read.rows),
  },
  examples: ['', '--days 7 --limit 5'],
  reads: true,
  columns: ['customer_number', 'name', 'bytes', 'largest_day', 'id'],
  run: ({ customers }, { days = 1, limit = 20 }) => customers.storage(days, limit),
});

const exportData = dataCommand({
  name: 'export',
  description: 'print all data of a customer as one JSON value, table by table, without secrets',
  options: { customer },
  examples: ['--customer 100001'],
  run: async ({ customerExport }, { customer }, { actor }) =>
    new TextParts(await customerExport.exportJson(actor, customer)),
});

const erase = dataCommand({
  name: 'erase',
  description:
    'erase the personal data of a deactivated customer, except records that accounting law requires; this cannot be undone',
  options: { customer, dryRun: flag('--dry-run', 'only count the rows that would be erased') },
  examples: ['--customer 100001 --dry-run', '--customer 100001 --yes'],
  needsYes: true,
  about: describe,
  confirm: ({ dryRun }) => (dryRun ? undefined : 'Its personal data is erased for good. Go on?'),
  columns: ['table', 'rows', 'done'],
  run: ({ customerErasure }, { customer, dryRun = false }, { actor }) =>
    customerErasure.erase(actor, customer, { dryRun }),
});

export const customerNoun: Noun = {
  name: 'customer',
  description: 'customers and their limits',
  commands: [create, importFile, list, show, change, activate, deactivate, limits, storage, exportData, erase],
};
