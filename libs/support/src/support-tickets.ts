import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditLog } from '@app/audit';
import { CustomerDatabase, NewestFirst } from '@app/database';
import { ServiceError } from '@app/errors';
import type { Page, PageRequest } from '@app/pagination';
import type { TicketPriority } from './ticket-record';
import { TICKET_COLUMNS, type TicketRow } from './ticket-view';

/** Tickets and their threads in one snapshot. Internal notes are left out here, and could not be read if they were not. */
const QUERY = (after: string) => `
  select ${TICKET_COLUMNS}, coalesce(thread.replies, '[]') as replies
  from (select * from support_ticket where customer_id = $1 ${after} order by created_at desc, id desc limit $2) ticket
  left join lateral (
    select json_agg(json_build_object('id', r.id, 'author', r.author, 'body', r.body, 'created_at',
      to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')) order by r.created_at, r.id) as replies
    from support_ticket_reply r where r.customer_id = $1 and r.ticket_id = ticket.id and not r.internal
  ) thread on true
  order by created_at desc, id desc`;

const LIST = new NewestFirst<TicketRow>({ name: 'support.tickets', id: 'uuid', query: QUERY });

/** PostgreSQL's largest integer; a service has no greater number. */
const LAST_SERVICE_ID = 2_147_483_647;

/** What a customer reports. */
export interface NewTicket {
  title: string;
  body: string;
  /** Default `normal`. */
  priority?: TicketPriority | null;
  /** A service of the customer's that it is about. */
  service_id?: number | null;
  /** What else it is about, in the customer's own terms. */
  resource_type?: string | null;
  resource_id?: string | null;
}

/** Customers' own tickets. */
@Injectable()
export class SupportTickets {
  constructor(
    private readonly database: CustomerDatabase,
    private readonly audit: AuditLog,
  ) {}

  /** A page of the customer's tickets, newest first. @throws ServiceError invalid_request for a bad cursor */
  list(customerId: string, page: PageRequest): Promise<Page<TicketRow>> {
    return LIST.read(this.database, customerId, page);
  }

  /**
   * Opens a ticket.
   * @param actor who opens it, for the audit log.
   * @throws ServiceError not_found if the service is not one of the customer's; nothing is stored then.
   */
  open(customerId: string, actor: string, ticket: NewTicket): Promise<TicketRow> {
    return this.database.transaction(async (manager) => {
      const serviceId = ticket.service_id ?? null;
      if (serviceId !== null && !(await this.ownsService(manager, customerId, serviceId))) {
        throw new ServiceError('not_found', 'You have no service with this service_id');
      }
      const [row] = await manager.query<[Omit<TicketRow, 'replies'>]>(
        `insert into support_ticket (customer_id, id, title, body, priority, service_id, resource_type, resource_id)
         values ($1, $2, $3, $4, $5, $6, $7, $8) returning ${TICKET_COLUMNS}`,
        [
          customerId,
          randomUUID(),
          ticket.title,
          ticket.body,
          ticket.priority ?? 'normal',
          serviceId,
          ticket.resource_type ?? null,
          ticket.resource_id ?? null,
        ],
      );
      await this.audit.record(manager, { customerId, actor, action: 'ticket.open', metadata: { ticket_id: row.id } });
      return { ...row, replies: [] };
    });
  }
  private async ownsService(manager: EntityManager, customerId: string, id: number): Promise<boolean> {
    if (id < 1 || id > LAST_SERVICE_ID) return false;
    const query = 'select 1 from customer_service where customer_id = $1 and id = $2';
    return (await manager.query<unknown[]>(query, [customerId, id])).length === 1;
  }
}
