import { SubCommand } from 'nest-commander';
import { BillingAccountsOperatorService } from '@domains/invoices';
import type { Values } from '../../options/option';
import { customer, source } from '../../options/shared-options';
import { commandWith } from '../operator-command';

const options = { customer, source };

@SubCommand({ name: 'unlink', description: 'remove a link and the invoices that were synced through it' })
export class InvoiceUnlinkCommand extends commandWith(options) {
  constructor(private readonly accounts: BillingAccountsOperatorService) {
    super();
  }

  protected execute({ customer, source }: Values<typeof options>) {
    return this.accounts.unlink(this.actor, customer, source);
  }
}
