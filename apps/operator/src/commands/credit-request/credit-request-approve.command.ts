import { SubCommand } from 'nest-commander';
import { CreditRequestsOperatorService } from '@domains/credit-requests';
import { optional, required, type Values } from '../../options/option';
import * as read from '../../options/read';
import { commandWith } from '../operator-command';

const options = {
  id: required('--id <number>', 'number of the request', read.wholeNumber),
  invoiceNumber: optional('--invoice-number <number>', 'number printed on the invoice (AI-<id>)'),
};

/** Idempotent: a repeated approval changes nothing. */
@SubCommand({ name: 'approve', description: 'invoice the amount and add the credit; repeating it changes nothing' })
export class CreditRequestApproveCommand extends commandWith(options) {
  constructor(private readonly creditRequests: CreditRequestsOperatorService) {
    super();
  }

  protected execute({ id, invoiceNumber }: Values<typeof options>) {
    return this.creditRequests.approve(this.actor, id, invoiceNumber);
  }
}
