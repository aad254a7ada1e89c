import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { CustomerDatabaseService, decoders, EntityReadsService, type KeysetList, prepared } from '@platform/database';
import { ServiceError } from '@platform/errors';
import type { Page, PageRequest } from '@platform/pagination';
import { TicketReply } from '../entities/ticket-reply.entity';
import { Ticket } from '../entities/ticket.entity';
import type { TicketPriority } from '../ticket-record';
import { REPLY, TICKET, type TicketReplyRow, type TicketRow } from './ticket-view';

const OPEN = prepared(
  'support.open',
  'select app.open_support_ticket($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) as opened_at',
);

/** PostgreSQL's largest integer: no service has a greater number. */
const LAST_SERVICE_ID = 2_147_483_647;

/** A new ticket. */
export interface NewTicket {
  title: string;
  body: string;
  /** Default `normal`. */
  priority?: TicketPriority | null;
  /** The service that the ticket is about; must be one of the customer's. */
  service_id?: number | null;
  /** Type of another resource that the ticket is about, in the customer's own terms. */
  resource_type?: string | null;
  resource_id?: string | null;
}

/** The customer's own tickets. */
@Injectable()
export class TicketsService {
  private readonly tickets: KeysetList<TicketRow>;

  constructor(
    private readonly database: CustomerDatabaseService,
    reads: EntityReadsService,
  ) {
    const reply = reads.table(TicketReply, 'r');
    const [createdAt, id] = [reply.column('createdAt'), reply.column('id')];
    this.tickets = reads.list(Ticket, {
      name: 'support.tickets',
      select: TICKET,
      extra: (ticket) => ({
        replies: {
          // Internal notes are excluded here; the role could not read them in any case.
          sql: `(select coalesce(json_agg(${reply.json(REPLY)} order by ${createdAt}, ${id}), '[]') from ${reply.from}
            where ${reply.column('customerId')} = $1 and ${reply.column('ticketId')} = ${ticket.column('id')}
              and not ${reply.column('internal')})`,
          decode: decoders.json as (text: string) => TicketReplyRow[],
        },
      }),
    });
  }

  /** A page of the customer's tickets, newest first. @throws ServiceError invalid_request for a bad cursor */
  list(page: PageRequest): Promise<Page<TicketRow>> {
    return this.database.page(this.tickets, page);
  }

  /**
   * Opens a ticket. @param actor the token, for the audit log. @throws ServiceError not_found if the service is not one
   * of the customer's; nothing is stored then
   */
  async open(actor: string, ticket: NewTicket): Promise<TicketRow> {
    const id = randomUUID();
    const { title, body, service_id: serviceId = null, resource_type: resourceType = null } = ticket;
    const { resource_id: resourceId = null } = ticket;
    const priority = ticket.priority ?? 'normal';
    // A number that does not fit the column cannot be a service of anyone.
    const isPossible = serviceId === null || (serviceId >= 1 && serviceId <= LAST_SERVICE_ID);
    const about = [serviceId, resourceType, resourceId];
    const values = [id, title, body, priority, ...about, actor, randomUUID()];
    const [opened] = isPossible ? await this.database.write<{ opened_at: string | null }>(OPEN, values) : [];
    if (!opened?.opened_at) throw new ServiceError('not_found', 'You have no service with this service_id');
    const times = { createdAt: opened.opened_at, updatedAt: opened.opened_at };
    return { id, title, body, status: 'open', priority, serviceId, resourceType, resourceId, ...times, replies: [] };
  }
}
