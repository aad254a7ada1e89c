import { SubCommand } from 'nest-commander';
import { REPLY_AUTHORS, TicketsOperatorService } from '@domains/support';
import { optional, required, type Values } from '../../options/option';
import * as read from '../../options/read';
import { ticket } from '../../options/shared-options';
import { commandWith } from '../operator-command';

const options = {
  ticket,
  body: required('--body <text>', 'what the customer will read'),
  author: optional(
    '--author <author>',
    'operator (default), or customer for a reply that the customer gave by phone or email',
    read.oneOf(REPLY_AUTHORS),
  ),
};

@SubCommand({ name: 'reply', description: 'reply in a thread' })
export class TicketReplyCommand extends commandWith(options) {
  constructor(private readonly tickets: TicketsOperatorService) {
    super();
  }

  protected execute({ ticket, body, author = 'operator' }: Values<typeof options>) {
    return this.tickets.reply(this.actor, ticket, { body, author, internal: false });
  }
}
