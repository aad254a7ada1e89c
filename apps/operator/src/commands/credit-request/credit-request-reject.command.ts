import { SubCommand } from 'nest-commander';
import { CreditRequestsOperatorService } from '@domains/credit-requests';
import { required, type Values } from '../../options/option';
import * as read from '../../options/read';
import { commandWith } from '../operator-command';

const options = {
  id: required('--id <number>', 'number of the request', read.wholeNumber),
  reason: required('--reason <text>', 'reason, which the customer can read'),
};

@SubCommand({ name: 'reject', description: 'reject a request; the customer can read the reason' })
export class CreditRequestRejectCommand extends commandWith(options) {
  constructor(private readonly creditRequests: CreditRequestsOperatorService) {
    super();
  }

  protected execute({ id, reason }: Values<typeof options>) {
    return this.creditRequests.reject(this.actor, id, reason);
  }
}
