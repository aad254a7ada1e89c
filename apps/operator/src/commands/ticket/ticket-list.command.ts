import type { TicketPriority } from '@domains/support';
import { flag, optional } from '../../options/option';
import * as read from '../../options/read';
import { after, anyCustomer, limit, listingOf } from '../../options/shared-options';
import { command } from '../command';
import { ticketStatus } from './ticket-status';

export const ticketList = command({
  name: 'list',
  description: 'list support tickets, newest first',
  options: {
    customer: anyCustomer,
    status: optional('--status <status>', 'only those with this status', ticketStatus),
    priority: optional(
      '--priority <priority>',
      'only those with this priority',
      read.oneOf<TicketPriority>()('low', 'normal', 'high', 'urgent'),
    ),
    unanswered: flag('--unanswered', 'only open tickets in which the customer had the last word'),
    limit,
    after,
  },
  examples: ['--unanswered', '--customer 100001 --status open'],
  reads: true,
  columns: ['customer_number', 'customer', 'title', 'status', 'unanswered', 'created_at', 'id'],
  moreColumns: ['priority', 'body', 'service_id', 'resource_type', 'resource_id', 'updated_at', 'customer_id'],
  services: () => import('../../services/support.services.js'),
  run: ({ tickets }, { customer, status, priority, unanswered, ...listing }) =>
    tickets.list({ customerId: customer, status, priority, unanswered }, listingOf(listing)),
});
