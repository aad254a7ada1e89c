import { SubCommand } from 'nest-commander';
import { BillingAccountsOperatorService } from '@domains/invoices';
import { required, type Values } from '../../options/option';
import { customer, source } from '../../options/shared-options';
import { commandWith } from '../operator-command';

const options = {
  customer,
  source,
  sourceCustomer: required('--source-customer <id>', "id there: Stripe's customer id, Fiken's contact id"),
};

@SubCommand({ name: 'link', description: 'link a customer to an account of a billing source' })
export class InvoiceLinkCommand extends commandWith(options) {
  constructor(private readonly accounts: BillingAccountsOperatorService) {
    super();
  }

  protected execute({ customer, source, sourceCustomer }: Values<typeof options>) {
    return this.accounts.link(this.actor, customer, source, sourceCustomer);
  }
}
