import { customer, source } from '../../options/shared-options';
import { command } from '../command';

export const invoiceUnlink = command({
  name: 'unlink',
  description: 'remove a link and the invoices that were synced through it',
  options: { customer, source },
  examples: ['--customer 100001 --source stripe'],
  confirm: ({ source }) => `The link to ${source} and all invoices that came by it are removed. Go on?`,
  services: () => import('../../services/invoice-sync.services.js'),
  run: ({ accounts }, { customer, source }, { actor }) => accounts.unlink(actor, customer, source),
});
