import { required } from '../../options/option';
import * as read from '../../options/read';
import { command } from '../command';

export const creditRequestReject = command({
  name: 'reject',
  description: 'reject a request; the customer can read the reason',
  options: {
    id: required('--id <number>', 'number of the request', read.wholeNumber),
    reason: required('--reason <text>', 'reason, which the customer can read'),
  },
  examples: ['--id 17 --reason "An invoice is overdue"'],
  confirm: ({ id }) => `Request ${id} is rejected for good. Go on?`,
  services: () => import('../../services/credit-requests.services.js'),
  run: ({ creditRequests }, { id, reason }, { actor }) => creditRequests.reject(actor, id, reason),
});
