import { Option, SubCommand } from 'nest-commander';
import { TicketsOperatorService, TICKET_STATUSES, type TicketStatus } from '@domains/support';
import { OperatorCommand } from '../operator-command';
import { read } from '../options';

interface Options {
  ticket: string;
  status: TicketStatus;
}

@SubCommand({ name: 'set-status', description: 'set the status of a ticket' })
export class TicketSetStatusCommand extends OperatorCommand<Options> {
  constructor(private readonly tickets: TicketsOperatorService) {
    super();
  }

  @Option({ flags: '--ticket <id>', description: 'id of the ticket', required: true })
  parseTicket(text: string): string {
    return read.uuid(text);
  }

  @Option({ flags: '--status <status>', description: 'open, pending, resolved or closed', required: true })
  parseStatus(text: string): TicketStatus {
    return read.oneOf(TICKET_STATUSES, text);
  }

  protected execute({ ticket, status }: Options) {
    return this.tickets.setStatus(this.actor, ticket, status);
  }
}
