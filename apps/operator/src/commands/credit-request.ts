import type { CreditRequest, CreditRequestsOperatorService, CreditRequestStatus } from '@domains/credit-requests';
import { optional, required } from '../options/option';
import * as read from '../options/read';
import { anyCustomer, limit, onlyStatus } from '../options/customer-and-list-options';
import { commandsWith, type Noun } from './command';

const command = commandsWith(() => import('../services/credit-requests.services.js'));

const id = required('--id <number>', 'number of the request', read.wholeNumber);

const list = command({
  name: 'list',
  description: 'list requests, newest first',
  options: {
    customer: anyCustomer,
    status: onlyStatus(read.oneOf<CreditRequestStatus>()('pending', 'approved', 'rejected')),
    limit,
    after: optional('--after <number>', 'only requests that follow the one with this number', read.idText),
  },
  examples: ['--status pending', '--customer 100001 --limit 10'],
  reads: true,
  columns: ['id', 'customer_number', 'customer', 'amount_nok', 'status', 'reference', 'note', 'created_at'],
  moreColumns: ['reason', 'decided_by', 'decided_at', 'invoice_id', 'customer_id'],
  run: ({ creditRequests }, { customer, status }, { listing }) =>
    creditRequests.list({ customerId: customer, status }, listing),
});

/** The customer and the amount of a request. */
async function describe(
  { creditRequests }: { creditRequests: CreditRequestsOperatorService },
  { id }: { id: number },
  nameOf: (customerId: string) => Promise<string>,
): Promise<string> {
  const { customerId, amountNok, status } = await creditRequests.show(id);
  return `Customer ${await nameOf(customerId)}: ${amountNok} NOK, ${status}`;
}

/** Who else had taken the decision before, if anybody. */
const decidedByAnother = ({ decidedBy }: CreditRequest, actor: string): string | null =>
  decidedBy?.toLowerCase() === actor.toLowerCase() ? null : decidedBy;

/** Idempotent: a repeated approval changes nothing. */
const approve = command({
  name: 'approve',
  description: 'invoice the amount and add the credit; repeating it changes nothing',
  options: {
    id,
    invoiceNumber: optional(
      '--invoice-number <number>',
      'number printed on the invoice; default that of the first approval, or AI-<id>',
    ),
  },
  examples: ['--id 17', '--id 17 --invoice-number 2027-0042'],
  about: describe,
  confirm: ({ id }) => `Request ${id} is invoiced and its credit added. Go on?`,
  run: async ({ creditRequests }, { id, invoiceNumber }, { actor, note }) => {
    const approved = await creditRequests.approve(actor, id, invoiceNumber);
    const other = decidedByAnother(approved, actor);
    if (other !== null)
      note(`${other} had approved it, with the invoice ${approved.invoiceNumber}: write no second invoice`);
    return approved;
  },
});

const reject = command({
  name: 'reject',
  description: 'reject a request; the customer can read the reason',
  options: { id, reason: required('--reason <text>', 'reason, which the customer can read') },
  examples: ['--id 17 --reason "An invoice is overdue"'],
  about: describe,
  confirm: ({ id }) => `Request ${id} is rejected for good. Go on?`,
  run: async ({ creditRequests }, { id, reason }, { actor, note }) => {
    const rejected = await creditRequests.reject(actor, id, reason);
    const other = decidedByAnother(rejected, actor);
    if (other !== null) note(`${other} had rejected it: your reason is not kept`);
    return rejected;
  },
});

export const creditRequestNoun: Noun = {
  name: 'credit-request',
  description: "customers' requests for extra AI credit",
  commands: [list, approve, reject],
};
