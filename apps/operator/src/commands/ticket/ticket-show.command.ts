import { SubCommand } from 'nest-commander';
import { TicketsOperatorService } from '@domains/support';
import type { Values } from '../../options/option';
import { ticket } from '../../options/shared-options';
import { commandWith } from '../operator-command';

const options = { ticket };

@SubCommand({ name: 'show', description: 'show a ticket with its thread, internal notes included' })
export class TicketShowCommand extends commandWith(options) {
  constructor(private readonly tickets: TicketsOperatorService) {
    super();
  }

  protected execute({ ticket }: Values<typeof options>) {
    return this.tickets.show(ticket);
  }
}
