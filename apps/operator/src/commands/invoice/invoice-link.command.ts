import { Option, SubCommand } from 'nest-commander';
import { BILLING_SOURCES, BillingAccountsOperatorService, type BillingSourceName } from '@domains/invoices';
import { OperatorCommand } from '../operator-command';
import { read } from '../options';

interface Options {
  customer: string;
  source: BillingSourceName;
  sourceCustomer: string;
}

@SubCommand({ name: 'link', description: 'link a customer to an account of a billing source' })
export class InvoiceLinkCommand extends OperatorCommand<Options> {
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

  @Option({
    flags: '--source-customer <id>',
    description: "id there: Stripe's customer id, Fiken's contact id",
    required: true,
  })
  parseSourceCustomer(text: string): string {
    return text;
  }

  protected execute({ customer, source, sourceCustomer }: Options) {
    return this.accounts.link(this.actor, customer, source, sourceCustomer);
  }
}
