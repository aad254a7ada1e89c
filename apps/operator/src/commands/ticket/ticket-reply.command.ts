import { Option, SubCommand } from 'nest-commander';
import { REPLY_AUTHORS, type ReplyAuthor, TicketsOperatorService } from '@domains/support';
import { OperatorCommand } from '../operator-command';
import { read } from '../options';

interface Options {
  ticket: string;
  body: string;
  author?: ReplyAuthor;
}

@SubCommand({ name: 'reply', description: 'reply in a thread' })
export class TicketReplyCommand extends OperatorCommand<Options> {
  constructor(private readonly tickets: TicketsOperatorService) {
    super();
  }

  @Option({ flags: '--ticket <id>', description: 'id of the ticket', required: true })
  parseTicket(text: string): string {
    return read.uuid(text);
  }

  @Option({ flags: '--body <text>', description: 'what the customer will read', required: true })
  parseBody(text: string): string {
    return text;
  }

  @Option({
    flags: '--author <author>',
    description: 'operator (default), or customer for a reply that the customer gave by phone or email',
  })
  parseAuthor(text: string): ReplyAuthor {
    return read.oneOf(REPLY_AUTHORS, text);
  }

  protected execute({ ticket, body, author = 'operator' }: Options) {
    return this.tickets.reply(this.actor, ticket, { body, author, internal: false });
  }
}
