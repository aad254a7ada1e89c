import { flag } from '../../options/option';
import { after, anyCustomer, limit, listingOf } from '../../options/shared-options';
import { command } from '../command';

export const statusList = command({
  name: 'list',
  description: 'list status events, newest first',
  options: { customer: anyCustomer, present: flag('--present', 'only those that have not ended'), limit, after },
  examples: ['--present', '--customer 100001'],
  reads: true,
  columns: ['customer_number', 'customer', 'service_id', 'status', 'message', 'starts_at', 'id'],
  moreColumns: ['ends_at', 'announcement_id', 'created_at', 'customer_id'],
  services: () => import('../../services/status.services.js'),
  run: ({ statusEvents }, { customer, present, ...listing }) =>
    statusEvents.list({ customerId: customer, present }, listingOf(listing)),
});
