import { Option, SubCommand } from 'nest-commander';
import { TicketsOperatorService } from '@domains/support';
import { OperatorCommand } from '../operator-command';
import { read } from '../options';

interface Options {
  ticket: string;
}

@SubCommand({ name: 'show', description: 'show a ticket with its thread, internal notes included' })
export class TicketShowCommand extends OperatorCommand<Options> {
  constructor(private readonly tickets: TicketsOperatorService) {
    super();
  }

  @Option({ flags: '--ticket <id>', description: 'id of the ticket', required: true })
  parseTicket(text: string): string {
    return read.uuid(text);
  }

  protected execute({ ticket }: Options) {
    return this.tickets.show(ticket);
  }
}
