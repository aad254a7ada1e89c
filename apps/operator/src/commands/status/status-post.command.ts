import { SubCommand } from 'nest-commander';
import { STATUS_LEVELS, StatusEventsOperatorService } from '@domains/status';
import { optional, required, type Values } from '../../options/option';
import * as read from '../../options/read';
import { commandWith } from '../operator-command';

const options = {
  service: required('--service <id>', 'number of the service', read.wholeNumber),
  status: required('--status <status>', 'operational, maintenance, degraded or outage', read.oneOf(STATUS_LEVELS)),
  message: required('--message <text>', 'what happened'),
  startsAt: optional('--starts-at <time>', 'when it begins; default now', read.time),
};

@SubCommand({ name: 'post', description: 'announce an event about a service' })
export class StatusPostCommand extends commandWith(options) {
  constructor(private readonly statusEvents: StatusEventsOperatorService) {
    super();
  }

  protected execute({ service, status, message, startsAt }: Values<typeof options>) {
    return this.statusEvents.post(this.actor, { serviceId: service, status, message, startsAt });
  }
}
