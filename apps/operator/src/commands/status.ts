import type { StatusLevel } from '@domains/status';
import { flag, optional, required } from '../options/option';
import * as read from '../options/read';
import { after, anyCustomer, limit, optionalCustomer } from '../options/customer-and-list-options';
import { usageError } from '../command-error';
import { commandsWith, type Noun } from './command';

const command = commandsWith(() => import('../services/status.services.js'));

const post = command({
  name: 'post',
  description: 'announce an event about a service, or about all services of a type',
  options: {
    service: optional('--service <id>', 'number of the service', read.wholeNumber),
    customer: optionalCustomer('the customer that is meant: a service of another one is refused'),
    type: optional('--type <type>', 'all services of this type that are not terminated, of all customers'),
    status: required(
      '--status <status>',
      'status of the service',
      read.oneOf<StatusLevel>()('operational', 'maintenance', 'degraded', 'outage'),
    ),
    message: required('--message <text>', 'description of the event'),
    startsAt: optional('--starts-at <time>', 'when it begins; default now', read.time),
  },
  examples: [
    '--service 12 --customer 100001 --status outage --message "The server does not answer"',
    '--type sms --status maintenance --message "New gateway" --starts-at 2027-01-31T22:00:00Z',
  ],
  confirm: ({ type }) => (type === undefined ? undefined : `All customers with ${type} read this. Go on?`),
  run({ announcements, statusEvents }, { service, customer, type, ...event }, { actor }): Promise<object> {
    if (service !== undefined && type === undefined)
      return statusEvents.post(actor, { serviceId: service, customerId: customer, ...event });
    if (service === undefined && customer === undefined && type !== undefined)
      return announcements.post(actor, { type, ...event });
    throw usageError(
      type === undefined
        ? 'Give --service or --type'
        : '--type is for all customers: give it without --service and --customer',
    );
  },
});

const end = command({
  name: 'end',
  description: 'end an event now, or the events of an announcement about a type of services',
  options: {
    event: optional('--event <id>', 'id of the event', read.uuid),
    announcement: optional('--announcement <id>', 'id of the announcement', read.uuid),
  },
  examples: ['--event 0198c9b2-5a3e-4c41-8f60-2b8f6f0f6a51', '--announcement 0198c9b2-5a3e-4c41-8f60-2b8f6f0f6a51'],
  run({ announcements, statusEvents }, { event, announcement }, { actor }): Promise<object> {
    if (event !== undefined && announcement === undefined) return statusEvents.end(actor, event);
    if (event === undefined && announcement !== undefined) return announcements.end(actor, announcement);
    throw usageError('Give --event or --announcement');
  },
});

const list = command({
  name: 'list',
  description: 'list status events, newest first',
  options: { customer: anyCustomer, present: flag('--present', 'only those that have not ended'), limit, after },
  examples: ['--present', '--customer 100001'],
  reads: true,
  columns: ['customer_number', 'customer', 'service_id', 'status', 'message', 'starts_at', 'id'],
  moreColumns: ['ends_at', 'announcement_id', 'created_at', 'customer_id'],
  run: ({ statusEvents }, { customer, present }, { listing }) =>
    statusEvents.list({ customerId: customer, present }, listing),
});

export const statusNoun: Noun = {
  name: 'status',
  description: 'status of services',
  commands: [post, end, list],
};
