import type { SmsStatus } from '@domains/sms';
import { optional } from '../../options/option';
import * as read from '../../options/read';
import { after, customer, limit, listingOf } from '../../options/shared-options';
import { command } from '../command';

export const smsLog = command({
  name: 'log',
  description: 'list the SMS of a customer, newest first',
  options: {
    customer,
    status: optional(
      '--status <status>',
      'only those with this status',
      read.oneOf<SmsStatus>()('unknown', 'accepted', 'sent', 'failed', 'delivered'),
    ),
    limit,
    after,
  },
  examples: ['--customer 100001', '--customer 100001 --status failed --csv'],
  reads: true,
  columns: ['created_at', 'recipient', 'sender_id', 'status', 'error_code', 'message', 'id'],
  moreColumns: ['segments', 'encoding', 'gateway', 'gateway_message_id', 'delivered_at', 'updated_at', 'customer_id'],
  services: () => import('../../services/sms.services.js'),
  run: ({ sms }, { customer, status, ...listing }) => sms.log({ customerId: customer, status }, listingOf(listing)),
});
