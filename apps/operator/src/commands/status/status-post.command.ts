import type { StatusLevel } from '@domains/status';
import { optional, required } from '../../options/option';
import * as read from '../../options/read';
import { usageError } from '../../program/command-error';
import { command } from '../command';

export const statusPost = command({
  name: 'post',
  description: 'announce an event about a service, or about all services of a type',
  options: {
    service: optional('--service <id>', 'number of the service', read.wholeNumber),
    type: optional('--type <type>', 'all services of this type that are not terminated, of all customers'),
    status: required(
      '--status <status>',
      'how it is',
      read.oneOf<StatusLevel>()('operational', 'maintenance', 'degraded', 'outage'),
    ),
    message: required('--message <text>', 'what happened'),
    startsAt: optional('--starts-at <time>', 'when it begins; default now', read.time),
  },
  examples: [
    '--service 12 --status outage --message "The server does not answer"',
    '--type sms --status maintenance --message "New gateway" --starts-at 2027-01-31T22:00:00Z',
  ],
  confirm: ({ type }) => (type === undefined ? undefined : `All customers with ${type} read this. Go on?`),
  services: () => import('../../services/status.services.js'),
  run({ announcements, statusEvents }, { service, type, ...event }, { actor }): Promise<object> {
    if (service !== undefined && type === undefined) return statusEvents.post(actor, { serviceId: service, ...event });
    if (service === undefined && type !== undefined) return announcements.post(actor, { type, ...event });
    throw usageError('Give --service or --type');
  },
});
