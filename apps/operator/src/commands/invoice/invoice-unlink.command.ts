import { Option, SubCommand } from 'nest-commander';
import { BILLING_SOURCES, BillingAccountsOperatorService, type BillingSourceName } from '@domains/invoices';
import { OperatorCommand } from '../operator-command';
import { read } from '../options';

interface Options {
  customer: string;
  source: BillingSourceName;
}

@SubCommand({ name: 'unlink', description: 'remove a link and the invoices that were synced through it' })
export class InvoiceUnlinkCommand extends OperatorCommand<Options> {
  constructor(private readonly accounts: BillingAccountsOperatorService) {
    super();
  }

  @Option({ flags: '--customer <id>', description: 'id of the customer', required: true })
  parseCustomer(text: string): string {
    return read.uuid(text);
  }

  @Option({ flags: '--source <source>', description: 'stripe or fiken', required: true })
  parseSource(text: string): BillingSourceName {
    return read.oneOf(BILLING_SOURCES, text);
  }

  protected execute({ customer, source }: Options) {
    return this.accounts.unlink(this.actor, customer, source);
  }
}
