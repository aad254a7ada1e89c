import { SubCommand } from 'nest-commander';
import { ServiceError } from '@platform/errors';
import { BILLING_SOURCES, BillingAccountsOperatorService, SyncRequestsOperatorService } from '@domains/invoices';
import { flag, optional, type Values } from '../../options/option';
import * as read from '../../options/read';
import { commandWith } from '../operator-command';

const WAIT_SECONDS = 60;

const options = {
  customer: optional('--customer <id>', 'id of the customer; with --source', read.uuid),
  source: optional('--source <source>', 'stripe or fiken; with --all default: both', read.oneOf(BILLING_SOURCES)),
  all: flag('--all', 'all customers, including those whose sync waits after a failure; returns before the syncs end'),
  full: flag('--full', 'read all documents, not only those that changed; invoices keep their ids'),
  waitSeconds: optional(
    '--wait-seconds <n>',
    `how long to wait for the worker (default: ${WAIT_SECONDS})`,
    read.wholeNumber,
  ),
};

@SubCommand({ name: 'sync', description: 'sync the invoices of a customer, or of all, with the billing sources now' })
export class InvoiceSyncCommand extends commandWith(options) {
  constructor(
    private readonly accounts: BillingAccountsOperatorService,
    private readonly requests: SyncRequestsOperatorService,
  ) {
    super();
  }

  protected async execute({
    customer,
    source,
    all = false,
    full = false,
    waitSeconds = WAIT_SECONDS,
  }: Values<typeof options>) {
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
