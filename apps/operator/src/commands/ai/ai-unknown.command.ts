import { after, anyCustomer, limit, listingOf } from '../../options/shared-options';
import { command } from '../command';

export const aiUnknown = command({
  name: 'unknown',
  description: 'list calls with an unknown outcome: not charged, the provider may bill them',
  options: { customer: anyCustomer, limit, after },
  examples: ['', '--customer 100001 --limit 20'],
  reads: true,
  columns: ['customer_number', 'customer', 'model', 'amount', 'resolved_at', 'id'],
  moreColumns: [
    ...['reason', 'state', 'price_valid_from', 'input_tokens_bound', 'max_tokens', 'deadline', 'month', 'request_id'],
    ...['token_id', 'created_at', 'customer_id'],
  ],
  services: () => import('../../services/ai.services.js'),
  run: ({ credit }, { customer, ...listing }) => credit.unknownOutcomes(customer, listingOf(listing)),
});
