import { flag, required } from '../../options/option';
import { command } from '../command';
import { readCustomerFile } from './customer-file';

export const customerImport = command({
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
  services: () => import('../../services/customers.services.js'),
  async run({ customerImport }, { file, dryRun = false }, { actor, foundFault }) {
    const lines = await customerImport.import(actor, await readCustomerFile(file), dryRun);
    if (lines.some(({ result }) => result === 'refused')) foundFault();
    return lines;
  },
});
