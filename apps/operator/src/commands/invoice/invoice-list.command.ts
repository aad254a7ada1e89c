import { Option, SubCommand } from 'nest-commander';
import { InvoicesOperatorService } from '@domains/invoices';
import { OperatorCommand } from '../operator-command';
import { read } from '../options';

interface Options {
  customer: string;
}

@SubCommand({ name: 'list', description: 'list the invoices of a customer' })
export class InvoiceListCommand extends OperatorCommand<Options> {
  constructor(private readonly invoices: InvoicesOperatorService) {
    super();
  }

  @Option({ flags: '--customer <id>', description: 'id of the customer', required: true })
  parseCustomer(text: string): string {
    return read.uuid(text);
  }

  protected execute({ customer }: Options) {
    return this.invoices.list({ customerId: customer });
  }
}
