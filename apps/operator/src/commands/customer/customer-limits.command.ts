import { Option, SubCommand } from 'nest-commander';
import { CustomersOperatorService } from '@domains/customers';
import { OperatorCommand } from '../operator-command';
import { type Limit, read, storedLimit } from '../options';

interface Options {
  customer: string;
  requestsPerMinute?: Limit;
  aiPerMinute?: Limit;
  smsPerMinute?: Limit;
  pendingCreditRequests?: Limit;
}

@SubCommand({ name: 'limits', description: 'set limits of a customer' })
export class CustomerLimitsCommand extends OperatorCommand<Options> {
  constructor(private readonly customers: CustomersOperatorService) {
    super();
  }

  @Option({ flags: '--customer <id>', description: 'id of the customer', required: true })
  parseCustomer(text: string): string {
    return read.uuid(text);
  }

  @Option({ flags: '--requests-per-minute <n>', description: 'requests per minute on all routes, or default' })
  parseRequestsPerMinute(text: string): Limit {
    return read.limit(text);
  }

  @Option({ flags: '--ai-per-minute <n>', description: 'AI messages per minute, or default' })
  parseAiPerMinute(text: string): Limit {
    return read.limit(text);
  }

  @Option({ flags: '--sms-per-minute <n>', description: 'SMS per minute, or default' })
  parseSmsPerMinute(text: string): Limit {
    return read.limit(text);
  }

  @Option({ flags: '--pending-credit-requests <n>', description: 'credit requests that may be pending, or default' })
  parsePendingCreditRequests(text: string): Limit {
    return read.limit(text);
  }

  protected execute({ customer, requestsPerMinute, aiPerMinute, smsPerMinute, pendingCreditRequests }: Options) {
    return this.customers.setLimits(this.actor, customer, {
      requestsPerMinute: storedLimit(requestsPerMinute),
      aiPerMinute: storedLimit(aiPerMinute),
      smsPerMinute: storedLimit(smsPerMinute),
      pendingCreditRequests: storedLimit(pendingCreditRequests),
    });
  }
}
