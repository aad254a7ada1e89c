import { Option, SubCommand } from 'nest-commander';
import { BILLING_SOURCES, BillingAccounts, type BillingSourceName, InvoiceSyncs } from '@app/invoices';
import { OperatorCommand } from '../operator-command';
import { read } from '../options';

interface Options {
  customer: string;
  source: BillingSourceName;
}

/** `invoice sync`: sync now and show what came of it. */
@SubCommand({ name: 'sync', description: 'sync the invoices of a customer with a billing source now' })
export class InvoiceSyncCommand extends OperatorCommand<Options> {
  constructor(
    private readonly accounts: BillingAccounts,
    private readonly syncs: InvoiceSyncs,
  ) {
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

  protected async execute({ customer, source }: Options) {
    const outcome = await this.syncs.runNow(customer, source);
    const report = (await this.accounts.report(customer)).find((sync) => sync.source === source);
    if (outcome === 'failed') process.exitCode = 1;
    return Object.assign({ outcome }, report);
  }
}
