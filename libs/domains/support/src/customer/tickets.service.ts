import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  CustomerDatabaseService,
  EntityReadsService,
  type KeysetList,
  prepared,
  type ReadStatement,
} from '@platform/database';
import { ServiceError } from '@platform/errors';
import type { Page, PageRequest } from '@platform/pagination';
import { Ticket } from '../entities/ticket.entity';
import { LISTED_REPLIES, type TicketPriority, type TicketStatus } from '../ticket-record';
import { noSuchTicket } from './no-such-ticket';
import { threadOf, TICKET, type TicketRow } from './ticket-view';

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
  private readonly byId: ReadStatement<TicketRow>;
  private readonly tickets: KeysetList<TicketRow>;

  constructor(
    private readonly database: CustomerDatabaseService,
    reads: EntityReadsService,
  ) {
    this.byId = reads.find(Ticket, {
      name: 'support.find',
      select: TICKET,
      by: ['customerId', 'id'],
      extra: threadOf(reads),
    });
    this.tickets = reads.list(Ticket, {
      name: 'support.tickets',
      select: TICKET,
      extra: threadOf(reads, LISTED_REPLIES),
      filters: [{ property: 'status', operator: '=' }],
    });
  }

  /**
   * A page of the customer's tickets, newest first, each with its last replies. @throws ServiceError invalid_request for a
   * bad cursor
   */
  list(page: PageRequest, status?: TicketStatus): Promise<Page<TicketRow>> {
    return this.database.page(this.tickets, page, [status]);
  }

  /** One of the customer's tickets, with its whole thread. @throws ServiceError not_found */
  async find(id: string): Promise<TicketRow> {
    const [ticket] = await this.database.read(this.byId, [id]);
    if (!ticket) throw noSuchTicket();
    return ticket;
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
    const thread = { replies: [], replyCount: 0 };
    return { id, title, body, status: 'open', priority, serviceId, resourceType, resourceId, ...times, thread };
  }
}
