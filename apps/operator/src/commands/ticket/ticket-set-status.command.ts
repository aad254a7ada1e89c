import { SubCommand } from 'nest-commander';
import { TicketsOperatorService, TICKET_STATUSES } from '@domains/support';
import { required, type Values } from '../../options/option';
import * as read from '../../options/read';
import { ticket } from '../../options/shared-options';
import { commandWith } from '../operator-command';

const options = {
  ticket,
  status: required('--status <status>', 'open, pending, resolved or closed', read.oneOf(TICKET_STATUSES)),
};

@SubCommand({ name: 'set-status', description: 'set the status of a ticket' })
export class TicketSetStatusCommand extends commandWith(options) {
  constructor(private readonly tickets: TicketsOperatorService) {
    super();
  }

  protected execute({ ticket, status }: Values<typeof options>) {
    return this.tickets.setStatus(this.actor, ticket, status);
  }
}
