import { SubCommand } from 'nest-commander';
import { CustomersOperatorService } from '@domains/customers';
import { optional, type Values } from '../../options/option';
import * as read from '../../options/read';
import { customer } from '../../options/shared-options';
import { commandWith } from '../operator-command';

const options = {
  customer,
  requestsPerMinute: optional('--requests-per-minute <n>', 'requests per minute on all routes, or default', read.limit),
  aiPerMinute: optional('--ai-per-minute <n>', 'AI messages per minute, or default', read.limit),
  smsPerMinute: optional('--sms-per-minute <n>', 'SMS per minute, or default', read.limit),
  pendingCreditRequests: optional(
    '--pending-credit-requests <n>',
    'credit requests that may be pending, or default',
    read.limit,
  ),
};

@SubCommand({ name: 'limits', description: 'set limits of a customer' })
export class CustomerLimitsCommand extends commandWith(options) {
  constructor(private readonly customers: CustomersOperatorService) {
    super();
  }

  protected execute({ customer, ...limits }: Values<typeof options>) {
    return this.customers.setLimits(this.actor, customer, limits);
  }
}
