import { ServiceError } from '@platform/errors';
import { flag, optional } from '../../options/option';
import * as read from '../../options/read';
import { billingSource, optionalCustomer } from '../../options/shared-options';
import { usageError } from '../../program/command-error';
import { command } from '../command';

const WAIT_SECONDS = 60;

export const invoiceSync = command({
  name: 'sync',
  description: 'sync the invoices of a customer, or of all, with the billing sources now',
  options: {
    customer: optionalCustomer("the customer's number, name or id; with --source"),
    source: optional('--source <source>', 'billing source; with --all default: both', billingSource),
    all: flag('--all', 'all customers, including those whose sync waits after a failure; returns before the syncs end'),
    full: flag('--full', 'read all documents, not only those that changed; invoices keep their ids'),
    waitSeconds: optional(
      '--wait-seconds <n>',
      `how long to wait for the worker (default: ${WAIT_SECONDS})`,
      read.wholeNumber,
    ),
  },
  examples: ['--customer 100001 --source stripe', '--all --source fiken --full'],
  services: () => import('../../services/invoice-sync.services.js'),
  async run({ accounts, requests }, options, { actor, foundFault }) {
    const { customer, source, all = false, full = false, waitSeconds = WAIT_SECONDS } = options;
    if (all) {
      if (customer !== undefined) throw usageError('Give --customer or --all, not both');
      return { accounts: await requests.request(actor, { source, full }) };
    }
    if (customer === undefined || source === undefined) {
      throw usageError('Give --customer and --source, or --all');
    }
    const outcome = await requests.requestAndWait(actor, { customerId: customer, source, full }, waitSeconds * 1000);
    if (outcome === undefined) {
      throw new ServiceError(
        'service_unavailable',
        `No worker has finished the sync within ${waitSeconds} s; the sync stays queued; see invoice sync-status`,
      );
    }
    const report = (await accounts.report(customer)).find((sync) => sync.source === source);
    if (outcome === 'failed') foundFault();
    return Object.assign({ outcome }, report);
  },
});
