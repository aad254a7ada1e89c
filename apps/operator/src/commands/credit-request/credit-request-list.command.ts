import type { CreditRequestStatus } from '@domains/credit-requests';
import { optional } from '../../options/option';
import * as read from '../../options/read';
import { anyCustomer, limit, listingOf } from '../../options/shared-options';
import { command } from '../command';

export const creditRequestList = command({
  name: 'list',
  description: 'list requests, newest first',
  options: {
    customer: anyCustomer,
    status: optional(
      '--status <status>',
      'only those with this status',
      read.oneOf<CreditRequestStatus>()('pending', 'approved', 'rejected'),
    ),
    limit,
    after: optional('--after <number>', 'only what comes behind the request with this number', read.numberText),
  },
  examples: ['--status pending', '--customer 100001 --limit 10'],
  reads: true,
  columns: ['id', 'customer_number', 'customer', 'amount_nok', 'status', 'reference', 'note', 'created_at'],
  moreColumns: ['reason', 'decided_by', 'decided_at', 'invoice_id', 'customer_id'],
  services: () => import('../../services/credit-requests.services.js'),
  run: ({ creditRequests }, { customer, status, ...listing }) =>
    creditRequests.list({ customerId: customer, status }, listingOf(listing)),
});
