import { Option, SubCommand } from 'nest-commander';
import { StatusEventsOperatorService } from '@domains/status';
import { OperatorCommand } from '../operator-command';
import { read } from '../options';

interface Options {
  event: string;
}

@SubCommand({ name: 'end', description: 'end an event now' })
export class StatusEndCommand extends OperatorCommand<Options> {
  constructor(private readonly statusEvents: StatusEventsOperatorService) {
    super();
  }

  @Option({ flags: '--event <id>', description: 'id of the event', required: true })
  parseEvent(text: string): string {
    return read.uuid(text);
  }

  protected execute({ event }: Options) {
    return this.statusEvents.end(this.actor, event);
  }
}
