import type { BillingSourceName, InvoiceSource, InvoiceStatus, VisibleInvoiceStatus } from '@domains/invoices';
import { ServiceError } from '@platform/errors';
import { toMinorUnits } from '@platform/money';
import { flag, optional, required } from '../options/option';
import * as read from '../options/read';
import {
  after,
  anyCustomer,
  customer,
  limit,
  onlyStatus,
  optionalCustomer,
} from '../options/customer-and-list-options';
import { usageError } from '../command-error';
import { commandsWith, type Noun } from './command';

const command = commandsWith(() => import('../services/invoices.services.js'));
const syncCommand = commandsWith(() => import('../services/invoice-sync.services.js'));

const billingSource = read.oneOf<BillingSourceName>()('stripe', 'fiken');
const source = required('--source <source>', 'billing source', billingSource);

const add = command({
  name: 'add',
  description: 'add an invoice that the operator issued',
  options: {
    customer,
    number: required('--number <number>', 'the number printed on it'),
    amountNok: required('--amount-nok <amount>', 'the total in NOK, such as 1250.50', amount),
    issueDate: required('--issue-date <date>', 'when it was issued, YYYY-MM-DD', read.date),
    dueDate: required('--due-date <date>', 'when it is to be paid, YYYY-MM-DD', read.date),
    kid: optional('--kid <kid>', 'payment reference'),
    pdfUrl: optional('--pdf-url <url>', 'link to its PDF that needs no credential', read.url),
    hostedUrl: optional('--hosted-url <url>', 'page where it can be seen and paid', read.url),
  },
  examples: ['--customer 100001 --number 2027-0042 --amount-nok 1250.50 --issue-date 2027-01-15 --due-date 2027-01-29'],
  run: ({ invoices }, { customer, amountNok, ...invoice }, { actor }) => {
    const { number, issueDate, dueDate, kid, pdfUrl, hostedUrl } = invoice;
    const details = { number, issueDate, dueDate, kid, pdfUrl, hostedUrl };
    return invoices.add(actor, { customerId: customer, amount: amountNok, ...details });
  },
});

/** Reads an amount in kroner with at most two decimals. */
function amount(text: string): bigint {
  const amount = toMinorUnits(text, 'NOK');
  if (amount === undefined || amount <= 0n) {
    throw new ServiceError('invalid_request', `${text} is not an amount in NOK`);
  }
  return amount;
}

const setStatus = command({
  name: 'set-status',
  description: 'set the status of an invoice that the operator issued',
  options: {
    invoice: required('--invoice <id>', 'id of the invoice', read.uuid),
    status: required(
      '--status <status>',
      'new status',
      read.oneOf<VisibleInvoiceStatus>()('open', 'paid', 'void', 'uncollectible'),
    ),
    replaces: optional(
      '--replaces <status>',
      'status that it has now: refused if a colleague has set another one meanwhile',
      read.oneOf<VisibleInvoiceStatus>()('open', 'paid', 'void', 'uncollectible'),
    ),
  },
  examples: ['--invoice 0198c9b2-5a3e-4c41-8f60-2b8f6f0f6a51 --status paid --replaces open'],
  run: ({ invoices }, { invoice, status, replaces }, { actor }) => invoices.setStatus(actor, invoice, status, replaces),
});

const list = command({
  name: 'list',
  description: 'list invoices, newest first, drafts included',
  options: {
    customer: anyCustomer,
    status: onlyStatus(read.oneOf<InvoiceStatus>()('draft', 'open', 'paid', 'void', 'uncollectible')),
    source: optional(
      '--source <source>',
      'only those from this source; manual: your own',
      read.oneOf<InvoiceSource>()('manual', 'stripe', 'fiken'),
    ),
    dueBefore: optional('--due-before <date>', 'only those that are due before this day, YYYY-MM-DD', read.date),
    limit,
    after,
  },
  examples: ['--customer 100001', '--status open --due-before 2027-02-01 --csv'],
  reads: true,
  columns: ['number', 'customer_number', 'customer', 'status', 'amount_due', 'due_date', 'id'],
  moreColumns: ['source', 'type', 'currency', 'amount', 'issue_date', 'paid_at', 'customer_id'],
  run: ({ invoices }, { customer, status, source, dueBefore }, { listing }) =>
    invoices.list({ customerId: customer, status, source, dueBefore }, listing),
});

const show = command({
  name: 'show',
  description: 'show an invoice',
  options: { invoice: required('--invoice <id>', 'id of the invoice', read.uuid) },
  examples: ['--invoice 0198c9b2-5a3e-4c41-8f60-2b8f6f0f6a51'],
  reads: true,
  run: ({ invoices }, { invoice }) => invoices.show(invoice),
});

const link = syncCommand({
  name: 'link',
  description: 'link a customer to an account of a billing source',
  options: {
    customer,
    source,
    sourceCustomer: required('--source-customer <id>', "id there: Stripe's customer id, Fiken's contact id"),
  },
  examples: ['--customer 100001 --source stripe --source-customer cus_4Fy8a7XQk2'],
  run: ({ accounts }, { customer, source, sourceCustomer }, { actor }) =>
    accounts.link(actor, customer, source, sourceCustomer),
});

const unlink = syncCommand({
  name: 'unlink',
  description: 'remove a link and the invoices that were synced through it',
  options: { customer, source },
  examples: ['--customer 100001 --source stripe'],
  confirm: ({ source }) => `The link to ${source} and all invoices that came by it are removed. Go on?`,
  run: ({ accounts }, { customer, source }, { actor }) => accounts.unlink(actor, customer, source),
});

const WAIT_SECONDS = 60;

const sync = syncCommand({
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
  async run({ syncs }, options, { actor, foundFault }) {
    const { customer, source, all = false, full = false, waitSeconds = WAIT_SECONDS } = options;
    if (all) {
      if (customer !== undefined) throw usageError('Give --customer or --all, not both');
      return { accounts: await syncs.request(actor, { source, full }) };
    }
    if (customer === undefined || source === undefined) {
      throw usageError('Give --customer and --source, or --all');
    }
    const outcome = await syncs.requestAndWait(actor, { customerId: customer, source, full }, waitSeconds * 1000);
    if (outcome === undefined) {
      throw new ServiceError(
        'service_unavailable',
        `No worker has finished the sync within ${waitSeconds} s; the sync stays queued; see invoice sync-status`,
      );
    }
    const report = (await syncs.report(customer)).find((sync) => sync.source === source);
    if (outcome === 'failed') foundFault();
    return Object.assign({ outcome }, report);
  },
});

const syncStatus = syncCommand({
  name: 'sync-status',
  description: 'show the state of the syncs with the billing sources',
  options: { customer: anyCustomer, failing: flag('--failing', 'only those whose last run failed') },
  examples: ['--failing', '--customer 100001'],
  reads: true,
  columns: ['customer_number', 'customer', 'source', 'source_customer_id', 'succeeded_at', 'failures', 'last_error'],
  moreColumns: [
    ...['stored', 'skipped', 'problems', 'due_at', 'queued_at', 'started_at', 'finished_at', 'failing_since'],
    ...['run_id', 'checkpoint', 'customer_id'],
  ],
  run: ({ syncs }, { customer, failing }) => syncs.report(customer, failing),
});

export const invoiceNoun: Noun = {
  name: 'invoice',
  description: 'invoices, and the billing sources they come from',
  commands: [add, setStatus, list, show, link, unlink, sync, syncStatus],
};
