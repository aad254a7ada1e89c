import { SubCommand } from 'nest-commander';
import { INVOICE_STATUSES, InvoicesOperatorService } from '@domains/invoices';
import { required, type Values } from '../../options/option';
import * as read from '../../options/read';
import { commandWith } from '../operator-command';

const options = {
  invoice: required('--invoice <id>', 'id of the invoice', read.uuid),
  status: required('--status <status>', 'open, paid, void or uncollectible', read.oneOf(INVOICE_STATUSES)),
};

@SubCommand({ name: 'set-status', description: 'set the status of an invoice that the operator issued' })
export class InvoiceSetStatusCommand extends commandWith(options) {
  constructor(private readonly invoices: InvoicesOperatorService) {
    super();
  }

  protected execute({ invoice, status }: Values<typeof options>) {
    return this.invoices.setStatus(this.actor, invoice, status);
  }
}
