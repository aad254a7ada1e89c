import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { AuditService } from '@platform/audit';
import { newestQuery } from '@platform/database';
import { ServiceError } from '@platform/errors';
import { Listing, type ListingRequest } from '@platform/pagination';
import { TicketReply } from '../entities/ticket-reply.entity';
import { Ticket } from '../entities/ticket.entity';
import type { ReplyAuthor, TicketPriority, TicketStatus } from '../ticket-record';

/** Filters of the list. */
export interface TicketFilter {
  customerId?: string;
  status?: TicketStatus;
  priority?: TicketPriority;
  /** Only tickets that wait for the operator's answer. */
  unanswered?: boolean;
  /** Only tickets with this text in their title, their body or a reply; small and capital letters alike. */
  search?: string;
}

/** A ticket in the list. */
export type ListedTicket = Ticket & {
  /** Whether it is open and the customer had the last word. */
  unanswered: boolean;
};

const LAST_AUTHOR = `(
  select r.author from support_ticket_reply r
  where r.customer_id = t.customer_id and r.ticket_id = t.id and not r.internal
  order by r.created_at desc, r.id desc limit 1)`;
const UNANSWERED = `(t.status = 'open' and coalesce(${LAST_AUTHOR}, 'customer') = 'customer')`;

const CONTAINS = `(
  strpos(lower(t.title || ' ' || t.body), :search) > 0 or exists (
    select from support_ticket_reply r
    where r.customer_id = t.customer_id and r.ticket_id = t.id and strpos(lower(r.body), :search) > 0))`;

/** A reply or note to add to a thread. */
export interface NewReply {
  body: string;
  /** `customer` records a message of the customer that came elsewhere, such as by telephone. */
  author: ReplyAuthor;
  /** True for an internal note. */
  internal: boolean;
}

/** Manages tickets for the operator. Every change is audited. */
@Injectable()
export class TicketsOperatorService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly audit: AuditService,
  ) {}

  /** Tickets of one customer or of all, newest first. */
  async list(
    { customerId, status, priority, unanswered, search }: TicketFilter,
    listing: ListingRequest,
  ): Promise<Listing<ListedTicket>> {
    const where = { ...(customerId && { customerId }), ...(status && { status }), ...(priority && { priority }) };
    const query = await newestQuery(this.dataSource.manager, Ticket, { where, by: 'createdAt' }, listing);
    query.addSelect(UNANSWERED, 'unanswered');
    if (unanswered) query.andWhere(UNANSWERED);
    if (search !== undefined) query.andWhere(CONTAINS, { search: search.toLowerCase() });
    const { entities, raw } = await query.getRawAndEntities<{ unanswered: boolean }>();
    const tickets = entities.map((ticket, index) =>
      Object.assign(ticket, { unanswered: raw[index]?.unanswered === true }),
    );
    return Listing.fromRows(tickets, listing.limit, ({ id }) => id);
  }

  /** A ticket with its whole thread, internal notes included. @throws ServiceError not_found */
  async show(id: string): Promise<Ticket & { replies: TicketReply[] }> {
    const { manager } = this.dataSource;
    const ticket = await findTicket(manager, id);
    const { customerId } = ticket;
    const order = { createdAt: 'ASC', id: 'ASC' } as const;
    const replies = await manager.find(TicketReply, { where: { customerId, ticketId: id }, order });
    return Object.assign(ticket, { replies });
  }

  /** Adds to a ticket's thread. @throws ServiceError not_found */
  reply(actor: string, ticketId: string, { body, author, internal }: NewReply): Promise<TicketReply> {
    return this.dataSource.transaction(async (manager) => {
      const { customerId } = await findTicket(manager, ticketId);
      const id = randomUUID();
      const reply = { customerId, id, ticketId, author, internal, body, createdAt: () => 'app.now()' };
      await manager.insert(TicketReply, reply);
      // An internal note must not change the times that the customer sees.
      if (!internal) await manager.update(Ticket, { customerId, id: ticketId }, { updatedAt: () => 'app.now()' });
      const action = internal ? 'ticket.note' : 'ticket.reply';
      await this.audit.record(manager, { customerId, actor, action, metadata: { ticket_id: ticketId, reply_id: id } });
      return manager.findOneByOrFail(TicketReply, { customerId, id });
    });
  }

  /** Sets a ticket's status. @throws ServiceError not_found */
  setStatus(actor: string, id: string, status: TicketStatus): Promise<Ticket> {
    return this.dataSource.transaction(async (manager) => {
      const { customerId, status: before } = await findTicket(manager, id);
      await manager.update(Ticket, { customerId, id }, { status, updatedAt: () => 'app.now()' });
      const metadata = { ticket_id: id, from: before, to: status };
      await this.audit.record(manager, { customerId, actor, action: 'ticket.set-status', metadata });
      return manager.findOneByOrFail(Ticket, { customerId, id });
    });
  }
}

/** The operator gives only the ticket's id, so this query names no customer. */
async function findTicket(manager: EntityManager, id: string): Promise<Ticket> {
  const ticket = await manager.findOneBy(Ticket, { id });
  if (!ticket) throw new ServiceError('not_found', `There is no ticket ${id}`);
  return ticket;
}
