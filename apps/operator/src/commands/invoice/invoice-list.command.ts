import { SubCommand } from 'nest-commander';
import { InvoicesOperatorService } from '@domains/invoices';
import type { Values } from '../../options/option';
import { after, customer, limit, listingOf } from '../../options/shared-options';
import { commandWith } from '../operator-command';

const options = { customer, limit, after };

@SubCommand({ name: 'list', description: 'list the invoices of a customer, newest first' })
export class InvoiceListCommand extends commandWith(options) {
  constructor(private readonly invoices: InvoicesOperatorService) {
    super();
  }

  protected execute({ customer, ...listing }: Values<typeof options>) {
    return this.invoices.list({ customerId: customer }, listingOf(listing));
  }
}
