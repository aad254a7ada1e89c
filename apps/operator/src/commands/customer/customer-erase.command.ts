import { flag } from '../../options/option';
import { customer } from '../../options/shared-options';
import { command } from '../command';

export const customerErase = command({
  name: 'erase',
  description:
    'erase what is personal of a deactivated customer; what accounting law asks for stays; there is no way back',
  options: { customer, dryRun: flag('--dry-run', 'only count what would be erased') },
  examples: ['--customer 100001 --dry-run', '--customer 100001 --yes'],
  needsYes: true,
  confirm: ({ customer, dryRun }) =>
    dryRun ? undefined : `What is personal of customer ${customer} is erased for good. Go on?`,
  columns: ['table', 'rows', 'done'],
  services: () => import('../../services/customer-data.services.js'),
  run: ({ customerData }, { customer, dryRun = false }, { actor }) => customerData.erase(actor, customer, { dryRun }),
});
