import { optional } from '../../options/option';
import * as read from '../../options/read';
import { customer } from '../../options/shared-options';
import { command } from '../command';

export const customerLimits = command({
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
  services: () => import('../../services/customers.services.js'),
  run: ({ customers }, { customer, ...limits }, { actor }) => customers.setLimits(actor, customer, limits),
});
