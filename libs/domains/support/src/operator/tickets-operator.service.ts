import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, In } from 'typeorm';
import { recordEvent } from '@domains/events';
import { AuditOperatorService, AuditService } from '@platform/audit';
import { OperatorList, type TextSearch } from '@platform/database';
import { requireText, ServiceError } from '@platform/errors';
import { OperatorAccountsService } from '@platform/operator-accounts';
import {
  type InboxPage,
  type InboxRequest,
  type Listing,
  type ListingRequest,
  MOST_COUNTED,
} from '@platform/pagination';
import { TicketAssignment } from '../entities/ticket-assignment.entity';
import { TicketReply } from '../entities/ticket-reply.entity';
import { Ticket } from '../entities/ticket.entity';
import { type ReplyAuthor, TICKET_BODY_MAX, type TicketPriority, type TicketStatus } from '../ticket-values';

/** Filters of the list. */
export interface TicketFilter {
  customerId?: string;
  status?: TicketStatus;
  priority?: TicketPriority;
  /** Only tickets that wait for the operator's answer. */
  unanswered?: boolean;
  /** Only tickets that are assigned to this person, or to nobody; names are compared without case. */
  assigned?: string;
  unassigned?: boolean;
  /** Only tickets with this text in their title, their body or a reply; small and capital letters alike. */
  search?: string;
}

/** Actions of the audit log. */
const REPLIED = 'ticket.reply';
const NOTED = 'ticket.note';

/** A ticket and the person whom it is assigned to; null for nobody. */
export type AssignedTicket = Ticket & { assignee: string | null };

/** A ticket in the list. */
export type ListedTicket = AssignedTicket & {
  /** Whether it is open and the customer had the last word. */
  unanswered: boolean;
};

const LAST_AUTHOR = `(
  select r.author from support_ticket_reply r
  where r.customer_id = t.customer_id and r.ticket_id = t.id and not r.internal
  order by r.created_at desc, r.id desc limit 1)`;
const UNANSWERED = `(t.status = 'open' and coalesce(${LAST_AUTHOR}, 'customer') = 'customer')`;

const SEARCH: TextSearch = {
  key: 't.customerId, t.id',
  // In the words of the indexes.
  matches: [
    `select s.customer_id, s.id from support_ticket s where s.title || ' ' || s.body ilike :part`,
    `select r.customer_id, r.ticket_id from support_ticket_reply r where r.body ilike :part`,
  ],
  contains: `strpos(lower(t.title || ' ' || t.body), lower(:wanted)) > 0 or exists (
    select from support_ticket_reply r
    where r.customer_id = t.customer_id and r.ticket_id = t.id and strpos(lower(r.body), lower(:wanted)) > 0)`,
};

/** The most urgent is the highest. */
const PRIORITY = `array_position('{low,normal,high,urgent}'::text[], t.priority)`;

/**
 * Open tickets are the highest, the most urgent first; of the same, the newest. Seconds have ten digits. The index has this very
 * expression: seconds since a moment, since those of a time depend on the time zone for all that PostgreSQL knows.
 */
const URGENCY = `((case when t.status = 'open' then ${PRIORITY} else 0 end) * 100000000000
  + extract(epoch from t.created_at - timestamptz '1970-01-01 00:00:00+00'))`;

/** A reply or a note, with the operator's person who wrote it; null for the customer's own, and if the audit log does not have it (any more). */
export type WrittenReply = TicketReply & { writtenBy: string | null };

/** A reply or note to add to a thread. */
export interface NewReply {
  body: string;
  /** `customer` records a message of the customer that came elsewhere, such as by telephone. */
  author: ReplyAuthor;
  /** True for an internal note. */
  internal: boolean;
  /** The ticket's `updatedAt` as the person has read it: nothing is added over what came since. */
  seen?: Date;
}

/** Manages tickets for the operator. Every change is audited. */
@Injectable()
export class TicketsOperatorService {
  private readonly tickets: OperatorList<Ticket, TicketFilter, Pick<ListedTicket, 'unanswered' | 'assignee'>>;

  constructor(
    private readonly dataSource: DataSource,
    private readonly audit: AuditService,
    private readonly log: AuditOperatorService,
    private readonly accounts: OperatorAccountsService,
  ) {
    this.tickets = new OperatorList(dataSource, Ticket, {
      name: 'tickets',
      filters: {
        customerId: 'customerId',
        status: 'status',
        priority: 'priority',
        unanswered: () => [UNANSWERED],
        assigned: (assigned) => ['lower(a.assignee) = lower(:assigned)', { assigned }],
        // By a column of the join: only so PostgreSQL knows that it looks for tickets without one.
        unassigned: () => ['a.ticketId is null'],
        search: { textSearch: () => SEARCH },
      },
      orders: {
        created_at: { by: 't.createdAt', kind: 'time' },
        updated_at: { by: 't.updatedAt', kind: 'time' },
        priority: { by: `${PRIORITY}::numeric`, kind: 'number' },
        urgency: { by: URGENCY, kind: 'number' },
      },
      base: (query) => query.leftJoin(TicketAssignment, 'a', 'a.customerId = t.customerId and a.ticketId = t.id'),
      select: { unanswered: UNANSWERED, assignee: 'a.assignee' },
    });
  }

  /** Tickets of one customer or of all, newest first. */
  list(filter: TicketFilter, listing: ListingRequest): Promise<Listing<ListedTicket>> {
    return this.tickets.list(filter, listing);
  }

  /** A page of the tickets, in the order that the request names; with the number of all. */
  inbox(filter: TicketFilter, request: InboxRequest): Promise<InboxPage<ListedTicket>> {
    return this.tickets.inbox(filter, request);
  }

  /** The open tickets that wait for an answer, and those that are urgent, counted to {@link MOST_COUNTED}. */
  async waiting(): Promise<{ unanswered: number; urgent: number }> {
    const count = async (condition: string) => {
      const [row] = await this.dataSource.query<[{ count: number }]>(
        `select count(*)::int as count from (select 1 from support_ticket t where ${condition} limit ${MOST_COUNTED}) t`,
      );
      return row.count;
    };
    const [unanswered, urgent] = await Promise.all([
      count(UNANSWERED),
      count(`t.status = 'open' and t.priority = 'urgent'`),
    ]);
    return { unanswered, urgent };
  }

  /** A ticket with its whole thread, internal notes included. @throws ServiceError not_found */
  async show(id: string): Promise<AssignedTicket & { replies: WrittenReply[] }> {
    const { manager } = this.dataSource;
    const ticket = await findTicket(manager, id);
    const { customerId } = ticket;
    const order = { createdAt: 'ASC', id: 'ASC' } as const;
    const replies = await manager.find(TicketReply, { where: { customerId, ticketId: id }, order });
    const actions = [REPLIED, NOTED];
    const [first] = replies;
    const authors = first
      ? await this.log.authors({
          customerId,
          actions,
          since: first.createdAt,
          where: { ticket_id: id },
          by: 'reply_id',
        })
      : new Map<string, string>();
    return Object.assign(ticket, {
      assignee: await findAssignee(manager, ticket),
      replies: replies.map((reply) => Object.assign(reply, { writtenBy: personOf(authors.get(reply.id)) })),
    });
  }

  /** The titles of tickets, by id. Ids of no ticket are left out. */
  async titlesOf(ids: readonly string[]): Promise<Map<string, string>> {
    if (ids.length === 0) return new Map();
    const select = { customerId: true, id: true, title: true } as const;
    const tickets = await this.dataSource.manager.find(Ticket, { select, where: { id: In([...ids]) } });
    return new Map(tickets.map(({ id, title }) => [id, title]));
  }

  /** The person whom a ticket is assigned to; null for nobody. @throws ServiceError not_found */
  async assigneeOf(id: string): Promise<string | null> {
    const { manager } = this.dataSource;
    return findAssignee(manager, await findTicket(manager, id));
  }

  /**
   * Assigns a ticket to a person, or with null to nobody. Changes no time that the customer sees. @param former the person who has
   * it, so that nobody is replaced unseen
   * @throws ServiceError not_found; invalid_request if another person has it by now, or if the new one may not answer tickets
   */
  async assign(actor: string, id: string, to: string | null, former: string | null): Promise<AssignedTicket> {
    const assignee = to === null ? null : await this.accounts.nameOfSupport(to);
    return this.dataSource.transaction(async (manager) => {
      const ticket = await findTicket(manager, id);
      const { customerId } = ticket;
      // One at a time, also when there is no assignment yet that could be locked.
      await manager.query('select from support_ticket where customer_id = $1 and id = $2 for no key update', [
        customerId,
        id,
      ]);
      const before = await findAssignee(manager, ticket);
      if (before !== former)
        throw new ServiceError('invalid_request', `Meanwhile the ticket was assigned to ${before ?? 'nobody'}`);
      if (assignee === before) return Object.assign(ticket, { assignee });
      const key = { customerId, ticketId: id };
      await manager.delete(TicketAssignment, key);
      if (assignee !== null) {
        await manager.insert(TicketAssignment, { ...key, assignee, assignedAt: () => 'app.now()' });
      }
      const action = assignee === null ? 'ticket.unassign' : 'ticket.assign';
      const metadata = { ticket_id: id, from: before, to: assignee };
      await this.audit.record(manager, { customerId, actor, action, metadata });
      return Object.assign(ticket, { assignee });
    });
  }

  /**
   * Adds to a ticket's thread. A reply that the customer gave elsewhere opens the ticket again, as `app.reply_to_support_ticket` does;
   * a closed one stays closed. @throws ServiceError not_found; invalid_request for a text that is too long, or if the ticket is not as
   * the person has seen it
   */
  async reply(actor: string, ticketId: string, { body, author, internal, seen }: NewReply): Promise<WrittenReply> {
    requireText(body, internal ? 'The note' : 'The reply', { min: 1, max: TICKET_BODY_MAX });
    return this.dataSource.transaction(async (manager) => {
      const { customerId, status } = await lockTicket(manager, ticketId, seen);
      const reopened = author === 'customer' && (status === 'pending' || status === 'resolved');
      const id = randomUUID();
      const at = await nextTime(manager, customerId, ticketId);
      const reply = { customerId, id, ticketId, author, internal, body, createdAt: () => at };
      await manager.insert(TicketReply, reply);
      // An internal note must not change the times that the customer sees.
      if (!internal) {
        const change = { ...(reopened && { status: 'open' as const }), updatedAt: () => at };
        await manager.update(Ticket, { customerId, id: ticketId }, change);
      }
      const action = internal ? NOTED : REPLIED;
      await this.audit.record(manager, { customerId, actor, action, metadata: { ticket_id: ticketId, reply_id: id } });
      if (author === 'operator' && !internal) await ticketEvent(manager, 'ticket.replied', customerId, ticketId);
      if (reopened) await ticketEvent(manager, 'ticket.status_changed', customerId, ticketId);
      const stored = await manager.findOneByOrFail(TicketReply, { customerId, id });
      return Object.assign(stored, { writtenBy: personOf(actor) });
    });
  }

  /**
   * Sets a ticket's status. @param seen the ticket's `updatedAt` as the person has read it
   * @throws ServiceError not_found; invalid_request if the ticket is not as the person has seen it
   */
  setStatus(actor: string, id: string, status: TicketStatus, seen?: Date): Promise<Ticket> {
    return this.dataSource.transaction(async (manager) => {
      const { customerId, status: before } = await lockTicket(manager, id, seen);
      // The same status again is no change that the customer sees.
      if (status !== before) {
        const at = await nextTime(manager, customerId, id);
        await manager.update(Ticket, { customerId, id }, { status, updatedAt: () => at });
      }
      const metadata = { ticket_id: id, from: before, to: status };
      await this.audit.record(manager, { customerId, actor, action: 'ticket.set-status', metadata });
      if (status !== before) await ticketEvent(manager, 'ticket.status_changed', customerId, id);
      return manager.findOneByOrFail(Ticket, { customerId, id });
    });
  }
}

function ticketEvent(
  manager: EntityManager,
  type: 'ticket.replied' | 'ticket.status_changed',
  customerId: string,
  id: string,
): Promise<void> {
  return recordEvent(manager, { customerId, type, id, by: 'app.record_ticket_event' });
}

/** The operator gives only the ticket's id, so this query names no customer. */
async function findTicket(manager: EntityManager, id: string): Promise<Ticket> {
  const ticket = await manager.findOneBy(Ticket, { id });
  if (!ticket) throw unknownTicket(id);
  return ticket;
}

const unknownTicket = (id: string) => new ServiceError('not_found', `There is no ticket ${id}`);

/**
 * The time of a change of a ticket that is locked, as an SQL expression: behind all before it, whatever the clock says. By a
 * millisecond, since {@link lockTicket} compares milliseconds.
 */
async function nextTime(manager: EntityManager, customerId: string, id: string): Promise<string> {
  const [{ at }] = await manager.query<[{ at: string }]>(
    `select quote_literal(greatest(app.now(), updated_at + interval '1 millisecond')) || '::timestamptz' as at
     from support_ticket where customer_id = $1 and id = $2`,
    [customerId, id],
  );
  return at;
}

/**
 * Locks a ticket: its customer may reply to it or close it at the same time. @param seen its `updatedAt` as the person has read it
 * @throws ServiceError not_found; invalid_request if it has changed since
 */
async function lockTicket(manager: EntityManager, id: string, seen: Date | undefined): Promise<Ticket> {
  const { customerId } = await findTicket(manager, id);
  const ticket = await manager.findOne(Ticket, { where: { customerId, id }, lock: { mode: 'for_no_key_update' } });
  // It was old, and has been deleted meanwhile.
  if (!ticket) throw unknownTicket(id);
  if (seen !== undefined && seen.getTime() !== ticket.updatedAt.getTime())
    throw new ServiceError('invalid_request', 'Meanwhile the ticket was changed, or has a new reply: read it again');
  return ticket;
}

/** The person of an author of the audit log; null if it is none of the operator's. */
function personOf(author: string | undefined): string | null {
  return author?.startsWith('operator:') ? author.slice('operator:'.length) : null;
}

async function findAssignee(manager: EntityManager, { customerId, id }: Ticket): Promise<string | null> {
  const assignment = await manager.findOneBy(TicketAssignment, { customerId, ticketId: id });
  return assignment?.assignee ?? null;
}
