import { SubCommand } from 'nest-commander';
import { TicketsOperatorService } from '@domains/support';
import { required, type Values } from '../../options/option';
import { ticket } from '../../options/shared-options';
import { commandWith } from '../operator-command';

const options = { ticket, body: required('--body <text>', 'the note') };

@SubCommand({ name: 'note', description: 'add an internal note, which the customer never sees' })
export class TicketNoteCommand extends commandWith(options) {
  constructor(private readonly tickets: TicketsOperatorService) {
    super();
  }

  protected execute({ ticket, body }: Values<typeof options>) {
    return this.tickets.reply(this.actor, ticket, { body, author: 'operator', internal: true });
  }
}
