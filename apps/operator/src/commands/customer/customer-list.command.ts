import { optional } from '../../options/option';
import * as read from '../../options/read';
import { limit, listingOf } from '../../options/shared-options';
import { command } from '../command';

export const customerList = command({
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
    after: optional('--after <number>', 'only what comes behind the customer with this number'),
  },
  examples: ['', '--search fjord', '--state inactive --csv'],
  reads: true,
  columns: ['customer_number', 'name', 'organization_number', 'email', 'active', 'id'],
  services: () => import('../../services/customers.services.js'),
  async run({ customers }, { search, state, ...listing }) {
    const active = state === undefined ? undefined : state === 'active';
    const found = await customers.list({ search, active }, listingOf(listing));
    return found.map(({ id, customerNumber, name, organizationNumber, email, active }) => ({
      ...{ id, customerNumber, name, organizationNumber, email, active },
    }));
  },
});
