import { optional, required } from '../options/option';
import * as read from '../options/read';
import { after, anyCustomer, limit } from '../options/customer-and-list-options';
import { commandsWith, type Noun } from './command';

const command = commandsWith(() => import('../services/requests.services.js'));

/** As the service has it. */
const USUAL_DAYS = 14;
/** Ten years, as for the console. */
const MOST_DAYS = 3650;

const show = command({
  name: 'show',
  description: 'say what became of a request: who sent it, why it was refused, what its AI message cost',
  options: {
    id: required('--id <request id>', 'the X-Request-Id of its reply, which errors have as request_id'),
    customer: anyCustomer,
    days: optional('--days <n>', `sent within the last days; default ${USUAL_DAYS}`, read.from1To(MOST_DAYS)),
  },
  examples: [
    '--id 3f0c1d9e-7d2a-4f0e-9a51-0f9f3c2f8a11',
    '--id 3f0c1d9e-7d2a-4f0e-9a51-0f9f3c2f8a11 --customer 100001 --days 60',
  ],
  reads: true,
  columns: ['created_at', 'customer_number', 'customer', 'outcome', 'code', 'charged', 'detail'],
  moreColumns: [
    ...['status', 'method', 'route', 'upstream', 'model', 'uncovered', 'provider_request_id', 'network'],
    ...['token_id', 'fingerprint', 'duration_ms', 'customer_id', 'id'],
  ],
  async run({ outcomes }, { id, customer, days }) {
    const [only, ...more] = await outcomes.ofRequest({ id, customerId: customer, days });
    return more.length === 0 && only ? only : [...(only ? [only] : []), ...more];
  },
});

const list = command({
  name: 'list',
  description:
    'list refused requests, newest first; of a customer or network that had many in a minute, the first ones. -o wide has their ids',
  options: {
    customer: anyCustomer,
    code: optional('--code <code>', 'only those with this code, such as rate_limited'),
    status: optional('--status <status>', 'only those with this status, such as 503', read.status),
    fingerprint: optional('--fingerprint <digits>', 'only those with this refused token', read.fingerprint),
    network: optional('--network <address>', 'only those from this network, as the list shows it'),
    since: optional('--since <time>', 'only those since this time', read.time),
    limit,
    after,
  },
  examples: ['--customer 100001', '--code rate_limited --since 2027-01-31T12:00:00Z', '--fingerprint 3f0c1d9e7d2a'],
  reads: true,
  // A request's id would leave no room for the code, which is why one looks.
  columns: ['created_at', 'customer_number', 'customer', 'status', 'code', 'route', 'detail'],
  moreColumns: [
    ...['request_id', 'method', 'upstream', 'network', 'token_id', 'fingerprint', 'duration_ms', 'customer_id', 'id'],
  ],
  run: ({ refusals }, { customer, code, status, fingerprint, network, since }, { listing }) =>
    refusals.list({ customerId: customer, code, status, fingerprint, network, since }, listing),
});

export const requestNoun: Noun = {
  name: 'request',
  description: 'requests of customers: why they were refused, what they cost',
  commands: [show, list],
};
