import { Option, SubCommand } from 'nest-commander';
import { TicketsOperatorService } from '@domains/support';
import { OperatorCommand } from '../operator-command';
import { read } from '../options';

interface Options {
  ticket: string;
  body: string;
}

@SubCommand({ name: 'note', description: 'add an internal note, which the customer never sees' })
export class TicketNoteCommand extends OperatorCommand<Options> {
  constructor(private readonly tickets: TicketsOperatorService) {
    super();
  }

  @Option({ flags: '--ticket <id>', description: 'id of the ticket', required: true })
  parseTicket(text: string): string {
    return read.uuid(text);
  }

  @Option({ flags: '--body <text>', description: 'the note', required: true })
  parseBody(text: string): string {
    return text;
  }

  protected execute({ ticket, body }: Options) {
    return this.tickets.reply(this.actor, ticket, { body, author: 'operator', internal: true });
  }
}
