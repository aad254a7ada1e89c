import { Option, SubCommand } from 'nest-commander';
import { STATUS_LEVELS, StatusEventsOperatorService, type StatusLevel } from '@domains/status';
import { OperatorCommand } from '../operator-command';
import { read } from '../options';

interface Options {
  service: number;
  status: StatusLevel;
  message: string;
  startsAt?: Date;
}

@SubCommand({ name: 'post', description: 'announce an event about a service' })
export class StatusPostCommand extends OperatorCommand<Options> {
  constructor(private readonly statusEvents: StatusEventsOperatorService) {
    super();
  }

  @Option({ flags: '--service <id>', description: 'number of the service', required: true })
  parseService(text: string): number {
    return read.wholeNumber(text);
  }

  @Option({ flags: '--status <status>', description: 'operational, maintenance, degraded or outage', required: true })
  parseStatus(text: string): StatusLevel {
    return read.oneOf(STATUS_LEVELS, text);
  }

  @Option({ flags: '--message <text>', description: 'what happened', required: true })
  parseMessage(text: string): string {
    return text;
  }

  @Option({ flags: '--starts-at <time>', description: 'when it begins; default now' })
  parseStartsAt(text: string): Date {
    return read.time(text);
  }

  protected execute({ service, status, message, startsAt }: Options) {
    return this.statusEvents.post(this.actor, { serviceId: service, status, message, startsAt });
  }
}
