import { Option, SubCommand } from 'nest-commander';
import { BillingAccounts } from '@app/invoices';
import { OperatorCommand } from '../operator-command';
import { read } from '../options';

interface Options {
  customer?: string;
}

/** `invoice sync-status`: show how the syncs stand. */
@SubCommand({ name: 'sync-status', description: 'show how the syncs with the billing sources stand' })
export class InvoiceSyncStatusCommand extends OperatorCommand<Options> {
  constructor(private readonly accounts: BillingAccounts) {
    super();
  }

  @Option({ flags: '--customer <id>', description: 'id of the customer; default: all' })
  parseCustomer(text: string): string {
    return read.uuid(text);
  }

  protected execute({ customer }: Options) {
    return this.accounts.report(customer);
  }
}
