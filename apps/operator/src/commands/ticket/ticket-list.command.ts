import { Option, SubCommand } from 'nest-commander';
import { TicketsOperatorService, TICKET_STATUSES, type TicketStatus } from '@domains/support';
import { OperatorCommand } from '../operator-command';
import { read } from '../options';

interface Options {
  customer?: string;
  status?: TicketStatus;
}

@SubCommand({ name: 'list', description: 'list support tickets' })
export class TicketListCommand extends OperatorCommand<Options> {
  constructor(private readonly tickets: TicketsOperatorService) {
    super();
  }

  @Option({ flags: '--customer <id>', description: 'id of the customer; default: all' })
  parseCustomer(text: string): string {
    return read.uuid(text);
  }

  @Option({ flags: '--status <status>', description: 'open, pending, resolved or closed' })
  parseStatus(text: string): TicketStatus {
    return read.oneOf(TICKET_STATUSES, text);
  }

  protected execute({ customer, status }: Options) {
    return this.tickets.list({ customerId: customer, status });
  }
}
