import { SubCommand } from 'nest-commander';
import { CREDIT_REQUEST_STATUSES, CreditRequestsOperatorService } from '@domains/credit-requests';
import { optional, type Values } from '../../options/option';
import * as read from '../../options/read';
import { anyCustomer, limit, listingOf } from '../../options/shared-options';
import { commandWith } from '../operator-command';

const options = {
  customer: anyCustomer,
  status: optional('--status <status>', 'pending, approved or rejected', read.oneOf(CREDIT_REQUEST_STATUSES)),
  limit,
  after: optional('--after <number>', 'only what comes behind the request with this number', read.numberText),
};

@SubCommand({ name: 'list', description: 'list requests, newest first' })
export class CreditRequestListCommand extends commandWith(options) {
  constructor(private readonly creditRequests: CreditRequestsOperatorService) {
    super();
  }

  protected execute({ customer, status, ...listing }: Values<typeof options>) {
    return this.creditRequests.list({ customerId: customer, status }, listingOf(listing));
  }
}
