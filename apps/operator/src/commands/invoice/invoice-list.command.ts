import { SubCommand } from 'nest-commander';
import { InvoicesOperatorService } from '@domains/invoices';
import type { Values } from '../../options/option';
import { customer } from '../../options/shared-options';
import { commandWith } from '../operator-command';

const options = { customer };

@SubCommand({ name: 'list', description: 'list the invoices of a customer' })
export class InvoiceListCommand extends commandWith(options) {
  constructor(private readonly invoices: InvoicesOperatorService) {
    super();
  }

  protected execute({ customer }: Values<typeof options>) {
    return this.invoices.list({ customerId: customer });
  }
}
