import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { CustomerDatabaseService, KeysetList, prepared } from '@platform/database';
import { ServiceError } from '@platform/errors';
import type { Page, PageRequest } from '@platform/pagination';
import { timeSql } from '@platform/time';
import type { TicketPriority } from '../ticket-record';
import { TICKET_COLUMNS, type TicketRow } from './ticket-view';

/**
 * Tickets and their threads in one snapshot. Internal notes are excluded here; the role could not read them in any
 * case.
 */
const QUERY = (after: string) => `
  select ${TICKET_COLUMNS}, coalesce(thread.replies, '[]') as replies
  from (select * from support_ticket where customer_id = $1 ${after} order by created_at desc, id desc limit $2) ticket
  left join lateral (
    select json_agg(json_build_object('id', r.id, 'author', r.author, 'body', r.body, 'created_at',
      ${timeSql('r.created_at')}) order by r.created_at, r.id) as replies
    from support_ticket_reply r where r.customer_id = $1 and r.ticket_id = ticket.id and not r.internal
  ) thread on true
  order by created_at desc, id desc`;

const LIST = new KeysetList<TicketRow>({ name: 'support.tickets', id: 'uuid', query: QUERY });

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
  constructor(private readonly database: CustomerDatabaseService) {}

  /** A page of the customer's tickets, newest first. @throws ServiceError invalid_request for a bad cursor */
  list(page: PageRequest): Promise<Page<TicketRow>> {
    return LIST.read(this.database, page);
  }

  /**
   * Opens a ticket. @param actor the token, for the audit log. @throws ServiceError not_found if the service is not one
   * of the customer's; nothing is stored then
   */
  async open(actor: string, ticket: NewTicket): Promise<TicketRow> {
    const id = randomUUID();
    const { title, body, service_id = null, resource_type = null, resource_id = null } = ticket;
    const priority = ticket.priority ?? 'normal';
    // A number that does not fit the column cannot be a service of anyone.
    const isPossible = service_id === null || (service_id >= 1 && service_id <= LAST_SERVICE_ID);
    const about = [service_id, resource_type, resource_id];
    const values = [id, title, body, priority, ...about, actor, randomUUID()];
    const [opened] = isPossible ? await this.database.write<{ opened_at: string | null }>(OPEN, values) : [];
    if (!opened?.opened_at) throw new ServiceError('not_found', 'You have no service with this service_id');
    const times = { created_at: opened.opened_at, updated_at: opened.opened_at };
    return { id, title, body, status: 'open', priority, service_id, resource_type, resource_id, ...times, replies: [] };
  }
}
