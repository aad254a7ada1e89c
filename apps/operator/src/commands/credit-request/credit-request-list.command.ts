import { Option, SubCommand } from 'nest-commander';
import {
  CREDIT_REQUEST_STATUSES,
  CreditRequestsOperatorService,
  type CreditRequestStatus,
} from '@domains/credit-requests';
import { OperatorCommand } from '../operator-command';
import { read } from '../options';

interface Options {
  customer?: string;
  status?: CreditRequestStatus;
}

@SubCommand({ name: 'list', description: 'list requests, newest first' })
export class CreditRequestListCommand extends OperatorCommand<Options> {
  constructor(private readonly creditRequests: CreditRequestsOperatorService) {
    super();
  }

  @Option({ flags: '--customer <id>', description: 'of this customer only' })
  parseCustomer(text: string): string {
    return read.uuid(text);
  }

  @Option({ flags: '--status <status>', description: 'pending, approved or rejected' })
  parseStatus(text: string): CreditRequestStatus {
    return read.oneOf(CREDIT_REQUEST_STATUSES, text);
  }

  protected execute({ customer, status }: Options) {
    return this.creditRequests.list({ customerId: customer, status });
  }
}
