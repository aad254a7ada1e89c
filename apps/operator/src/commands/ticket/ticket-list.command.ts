import { SubCommand } from 'nest-commander';
import { TicketsOperatorService, TICKET_STATUSES } from '@domains/support';
import { flag, optional, type Values } from '../../options/option';
import * as read from '../../options/read';
import { after, anyCustomer, limit, listingOf } from '../../options/shared-options';
import { commandWith } from '../operator-command';

const options = {
  customer: anyCustomer,
  status: optional('--status <status>', 'open, pending, resolved or closed', read.oneOf(TICKET_STATUSES)),
  unanswered: flag('--unanswered', 'only open tickets in which the customer had the last word'),
  limit,
  after,
};

@SubCommand({ name: 'list', description: 'list support tickets, newest first' })
export class TicketListCommand extends commandWith(options) {
  constructor(private readonly tickets: TicketsOperatorService) {
    super();
  }

  protected execute({ customer, status, unanswered, ...listing }: Values<typeof options>) {
    return this.tickets.list({ customerId: customer, status, unanswered }, listingOf(listing));
  }
}
