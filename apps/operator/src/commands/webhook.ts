import type { DeliveryState, EventType } from '@domains/events';
import { usageError } from '../command-error';
import { flag, optional, required } from '../options/option';
import * as read from '../options/read';
import { after, anyCustomer, limit, onlyStatus, optionalCustomer } from '../options/customer-and-list-options';
import { commandsWith, type Noun } from './command';

const command = commandsWith(() => import('../services/webhooks.services.js'));

const endpoint = required('--endpoint <id>', 'id of the endpoint', read.uuid);
const states = read.oneOf<DeliveryState>()('pending', 'delivered', 'failed', 'missed');

const TYPES = `types of events, separated by commas, or all; there are ${read.eventType.choices.join(', ')}`;

function eventTypes(text: string): EventType[] {
  return text === 'all' ? [] : text.split(',').map((name) => read.eventType(name.trim()));
}

const ID = '0198c9b2-5a3e-4c41-8f60-2b8f6f0f6a51';

const list = command({
  name: 'list',
  description: 'list webhook endpoints, newest first',
  options: {
    customer: anyCustomer,
    own: flag('--own', "only the operator's own, which get the events of all customers"),
    limit,
    after,
  },
  examples: ['', '--customer 100001', '--own'],
  reads: true,
  columns: ['customer_number', 'customer', 'url', 'event_types', 'failing_since', 'disabled_reason', 'id'],
  moreColumns: ['description', 'scopes', 'disabled_at', 'queue_full', 'created_at', 'updated_at', 'customer_id'],
  run: ({ webhooks }, { customer, own }, { listing }) => webhooks.list({ customerId: customer, own }, listing),
});

const show = command({
  name: 'show',
  description: 'show a webhook endpoint, without its secret',
  options: { endpoint },
  examples: [`--endpoint ${ID}`],
  reads: true,
  run: ({ webhooks }, { endpoint }) => webhooks.show(endpoint),
});

const add = command({
  name: 'add',
  description: 'add a webhook endpoint and show its secret, once',
  options: {
    customer: optionalCustomer(
      "the customer's number, name or id; default: an endpoint of the operator, which gets the events of all customers and may have http and a private address",
    ),
    url: required('--url <address>', 'address that events are sent to', read.url),
    types: optional('--types <list>', `${TYPES}. Default all`, eventTypes),
    description: optional('--description <text>', 'a description'),
    scopes: optional(
      '--scopes <list>',
      "scopes, separated by commas, that decide how much of its records a customer's endpoint gets; default: of all records that there are events of",
      read.scopes,
    ),
  },
  examples: [
    '--customer 100001 --url https://erp.fjordlys.example/hooks',
    '--url http://10.0.0.7:8080/hooks --types credit_request.created,ticket.created',
  ],
  run: ({ webhooks }, { customer, url, types, description, scopes }, { actor }) =>
    webhooks.add(actor, { customerId: customer, url, eventTypes: types, description, scopes }),
});

const change = command({
  name: 'change',
  description: 'change, disable or enable a webhook endpoint',
  options: {
    endpoint,
    url: optional('--url <address>', 'another address', read.url),
    types: optional('--types <list>', TYPES, eventTypes),
    description: optional('--description <text>', 'another description; the empty text for none'),
    enabled: optional(
      '--enabled <true|false>',
      'false: it gets nothing, and its customer cannot enable it; what it misses can be redelivered',
      read.yesOrNo,
    ),
  },
  examples: [`--endpoint ${ID} --enabled false`],
  run: ({ webhooks }, { endpoint, url, types, description, enabled }, { actor }) =>
    webhooks.change(actor, endpoint, { url, eventTypes: types, description, enabled }),
});

const remove = command({
  name: 'remove',
  description: 'delete a webhook endpoint; what waits for it is not sent',
  options: { endpoint },
  examples: [`--endpoint ${ID}`],
  confirm: () => 'Delete the endpoint?',
  run: ({ webhooks }, { endpoint }, { actor }) => webhooks.remove(actor, endpoint),
});

const rotateSecret = command({
  name: 'rotate-secret',
  description: 'give a webhook endpoint a new secret and show it, once; the former one remains valid for 24 hours',
  options: { endpoint },
  examples: [`--endpoint ${ID}`],
  run: ({ webhooks }, { endpoint }, { actor }) => webhooks.rotateSecret(actor, endpoint),
});

const test = command({
  name: 'test',
  description: 'send a test event to a webhook endpoint',
  options: { endpoint },
  examples: [`--endpoint ${ID}`],
  run: ({ webhooks }, { endpoint }, { actor }) => webhooks.test(actor, endpoint),
});

const deliveries = command({
  name: 'deliveries',
  description: 'list deliveries to webhook endpoints, newest first',
  options: {
    customer: anyCustomer,
    endpoint: optional('--endpoint <id>', 'to this endpoint only', read.uuid),
    state: onlyStatus(states),
    limit,
    after,
  },
  examples: [`--endpoint ${ID}`, '--status failed'],
  reads: true,
  columns: ['event_type', 'state', 'attempts', 'last_status', 'last_error', 'next_attempt_at', 'created_at', 'id'],
  moreColumns: [
    'endpoint_id',
    'event_id',
    'event_customer_id',
    'bytes',
    'queued_at',
    'last_attempt_at',
    'delivered_at',
    'customer_id',
  ],
  run: ({ webhooks }, { customer, endpoint, state }, { listing }) =>
    webhooks.deliveries({ customerId: customer, endpointId: endpoint, state }, listing),
});

const redeliver = command({
  name: 'redeliver',
  description:
    'send one delivery again, or all of an endpoint that have failed or were missed since a time, also those that would be tried again later: the oldest 10,000 at most; to be done again while `more` is true',
  options: {
    delivery: optional('--delivery <id>', 'id of the delivery', read.uuid),
    endpoint: optional('--endpoint <id>', 'id of the endpoint, with --since', read.uuid),
    since: optional('--since <time>', 'time from which on they have failed or were missed, RFC 3339', read.time),
  },
  examples: [`--delivery ${ID}`, `--endpoint ${ID} --since 2027-01-31T12:00:00Z`],
  async run({ webhooks }, { delivery, endpoint, since }, { actor }) {
    if (delivery !== undefined && endpoint === undefined && since === undefined)
      return webhooks.redeliver(actor, delivery);
    if (endpoint !== undefined && since !== undefined && delivery === undefined)
      return webhooks.redeliverAll(actor, endpoint, since);
    throw usageError('Give either --delivery, or --endpoint with --since');
  },
});

export const webhookNoun: Noun = {
  name: 'webhook',
  description: 'webhook endpoints and deliveries, of customers and of the operator',
  commands: [list, show, add, change, remove, rotateSecret, test, deliveries, redeliver],
};
