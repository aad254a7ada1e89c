import { SubCommand } from 'nest-commander';
import { StatusEventsOperatorService } from '@domains/status';
import { required, type Values } from '../../options/option';
import * as read from '../../options/read';
import { commandWith } from '../operator-command';

const options = { event: required('--event <id>', 'id of the event', read.uuid) };

@SubCommand({ name: 'end', description: 'end an event now' })
export class StatusEndCommand extends commandWith(options) {
  constructor(private readonly statusEvents: StatusEventsOperatorService) {
    super();
  }

  protected execute({ event }: Values<typeof options>) {
    return this.statusEvents.end(this.actor, event);
  }
}
