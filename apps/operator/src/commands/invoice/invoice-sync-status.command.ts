import { Option, SubCommand } from 'nest-commander';
import { BillingAccountsOperatorService } from '@domains/invoices';
import { OperatorCommand } from '../operator-command';
import { read } from '../options';

interface Options {
  customer?: string;
  failing?: boolean;
}

@SubCommand({ name: 'sync-status', description: 'show the state of the syncs with the billing sources' })
export class InvoiceSyncStatusCommand extends OperatorCommand<Options> {
  constructor(private readonly accounts: BillingAccountsOperatorService) {
    super();
  }

  @Option({ flags: '--customer <id>', description: 'id of the customer; default: all' })
  parseCustomer(text: string): string {
    return read.uuid(text);
  }

  @Option({ flags: '--failing', description: 'only those whose last run failed' })
  parseFailing(): boolean {
    return true;
  }

  protected execute({ customer, failing }: Options) {
    return this.accounts.report(customer, failing);
  }
}
