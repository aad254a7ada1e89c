import { SubCommand } from 'nest-commander';
import { BillingAccountsOperatorService } from '@domains/invoices';
import { flag, type Values } from '../../options/option';
import { anyCustomer } from '../../options/shared-options';
import { commandWith } from '../operator-command';

const options = { customer: anyCustomer, failing: flag('--failing', 'only those whose last run failed') };

@SubCommand({ name: 'sync-status', description: 'show the state of the syncs with the billing sources' })
export class InvoiceSyncStatusCommand extends commandWith(options) {
  constructor(private readonly accounts: BillingAccountsOperatorService) {
    super();
  }

  protected execute({ customer, failing }: Values<typeof options>) {
    return this.accounts.report(customer, failing);
  }
}
