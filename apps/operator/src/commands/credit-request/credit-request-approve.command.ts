import { optional, required } from '../../options/option';
import * as read from '../../options/read';
import { command } from '../command';

/** Idempotent: a repeated approval changes nothing. */
export const creditRequestApprove = command({
  name: 'approve',
  description: 'invoice the amount and add the credit; repeating it changes nothing',
  options: {
    id: required('--id <number>', 'number of the request', read.wholeNumber),
    invoiceNumber: optional('--invoice-number <number>', 'number printed on the invoice (AI-<id>)'),
  },
  examples: ['--id 17', '--id 17 --invoice-number 2027-0042'],
  confirm: ({ id }) => `Request ${id} is invoiced and its credit added. Go on?`,
  services: () => import('../../services/credit-requests.services.js'),
  run: ({ creditRequests }, { id, invoiceNumber }, { actor }) => creditRequests.approve(actor, id, invoiceNumber),
});
