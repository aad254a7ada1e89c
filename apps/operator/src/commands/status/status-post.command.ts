import type { StatusLevel } from '@domains/status';
import { optional, required } from '../../options/option';
import * as read from '../../options/read';
import { command } from '../command';

export const statusPost = command({
  name: 'post',
  description: 'announce an event about a service',
  options: {
    service: required('--service <id>', 'number of the service', read.wholeNumber),
    status: required(
      '--status <status>',
      'how it is',
      read.oneOf<StatusLevel>()('operational', 'maintenance', 'degraded', 'outage'),
    ),
    message: required('--message <text>', 'what happened'),
    startsAt: optional('--starts-at <time>', 'when it begins; default now', read.time),
  },
  examples: ['--service 12 --status outage --message "The server does not answer"'],
  services: () => import('../../services/status.services.js'),
  run: ({ statusEvents }, { service, status, message, startsAt }, { actor }) =>
    statusEvents.post(actor, { serviceId: service, status, message, startsAt }),
});
