import { Option, SubCommand } from 'nest-commander';
import { ServiceError } from '@platform/errors';
import {
  BILLING_SOURCES,
  BillingAccountsOperatorService,
  type BillingSourceName,
  SyncRequestsOperatorService,
} from '@domains/invoices';
import { OperatorCommand } from '../operator-command';
import { read } from '../options';

interface Options {
  customer?: string;
  source?: BillingSourceName;
  all?: boolean;
  full?: boolean;
  waitSeconds?: number;
}

const WAIT_SECONDS = 60;

@SubCommand({ name: 'sync', description: 'sync the invoices of a customer, or of all, with the billing sources now' })
export class InvoiceSyncCommand extends OperatorCommand<Options> {
  constructor(
    private readonly accounts: BillingAccountsOperatorService,
    private readonly requests: SyncRequestsOperatorService,
  ) {
    super();
  }

  @Option({ flags: '--customer <id>', description: 'id of the customer; with --source' })
  parseCustomer(text: string): string {
    return read.uuid(text);
  }

  @Option({ flags: '--source <source>', description: 'stripe or fiken; with --all default: both' })
  parseSource(text: string): BillingSourceName {
    return read.oneOf(BILLING_SOURCES, text);
  }

  @Option({
    flags: '--all',
    description: 'all customers, including those whose sync waits after a failure; returns before the syncs end',
  })
  parseAll(): boolean {
    return true;
  }

  @Option({ flags: '--full', description: 'read all documents, not only those that changed; invoices keep their ids' })
  parseFull(): boolean {
    return true;
  }

  @Option({ flags: '--wait-seconds <n>', description: `how long to wait for the worker (default: ${WAIT_SECONDS})` })
  parseWaitSeconds(text: string): number {
    return read.wholeNumber(text);
  }

  protected async execute({ customer, source, all = false, full = false, waitSeconds = WAIT_SECONDS }: Options) {
    if (all) {
      if (customer !== undefined) throw new ServiceError('invalid_request', 'Give --customer or --all, not both');
      return { accounts: await this.requests.request(this.actor, { source, full }) };
    }
    if (customer === undefined || source === undefined) {
      throw new ServiceError('invalid_request', 'Give --customer and --source, or --all');
    }
    const outcome = await this.requests.requestAndWait(
      this.actor,
      { customerId: customer, source, full },
      waitSeconds * 1000,
    );
    if (outcome === undefined) {
      throw new ServiceError(
        'service_unavailable',
        `No worker has finished the sync within ${waitSeconds} s; the sync stays queued; see invoice sync-status`,
      );
    }
    const report = (await this.accounts.report(customer)).find((sync) => sync.source === source);
    if (outcome === 'failed') process.exitCode = 1;
    return Object.assign({ outcome }, report);
  }
}
