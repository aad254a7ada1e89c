import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  CustomerDatabaseService,
  decoders,
  EntityReadsService,
  type EntityTable,
  EntityWritesService,
  type Expression,
  type KeysetList,
  type ReadRow,
  type ReadStatement,
} from '@platform/database';
import { ServiceError } from '@platform/errors';
import type { Page, PageRequest } from '@platform/pagination';
import { TicketReply } from '../entities/ticket-reply.entity';
import { Ticket } from '../entities/ticket.entity';
import { LISTED_REPLIES, TICKET_REPLIES_MAX, type TicketPriority, type TicketStatus } from '../ticket-record';

/** Properties of a ticket that the customer sees. */
const TICKET = [
  'id',
  'title',
  'body',
  'status',
  'priority',
  'serviceId',
  'resourceType',
  'resourceId',
  'createdAt',
  'updatedAt',
] as const satisfies (keyof Ticket)[];

/** Properties of a reply that the customer sees. */
const REPLY = ['id', 'author', 'body', 'createdAt'] as const satisfies (keyof TicketReply)[];

/** The fields of a reply that the customer sees. */
export type TicketReplyRow = ReadRow<TicketReply, (typeof REPLY)[number]>;

/** The replies of a ticket. */
interface TicketThread {
  /** Oldest first; in lists only the last {@link LISTED_REPLIES}. */
  replies: TicketReplyRow[];
  /** The number of replies in the whole thread. */
  replyCount: number;
}

/** The fields of a ticket that the customer sees, and its thread. */
export type TicketRow = ReadRow<Ticket, (typeof TICKET)[number]> & { thread: TicketThread };

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

type ReplyOutcome = 'replied' | 'unknown' | 'closed' | 'full';

/** The customer's own tickets. Every change is audited. */
@Injectable()
export class TicketsService {
  private readonly byId: ReadStatement<TicketRow>;
  private readonly tickets: KeysetList<TicketRow>;
  private readonly openTicket;
  private readonly replyTo;
  private readonly closeTicket;

  constructor(
    private readonly database: CustomerDatabaseService,
    reads: EntityReadsService,
    writes: EntityWritesService,
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
    this.openTicket = writes.call({
      name: 'support.open',
      calls: 'app.open_support_ticket',
      parameters: {
        id: 'uuid',
        title: 'text',
        body: 'text',
        priority: 'text',
        service: 'integer',
        resourceType: 'text',
        resourceId: 'text',
        actor: 'text',
      },
      returns: { result: decoders.time },
    });
    this.replyTo = writes.call({
      name: 'support.reply',
      calls: 'app.reply_to_support_ticket',
      parameters: { ticket: 'uuid', body: 'text', most: 'integer', actor: 'text' },
      returns: { outcome: decoders.text as (text: string) => ReplyOutcome },
      row: { entity: TicketReply, column: 'reply', select: REPLY },
    });
    this.closeTicket = writes.call({
      name: 'support.close',
      calls: 'app.close_support_ticket',
      parameters: { ticket: 'uuid', actor: 'text' },
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
    return ticket ?? noSuchTicket();
  }

  /**
   * Opens a ticket. @param actor the token, for the audit log. @throws ServiceError not_found if the service is not one
   * of the customer's; nothing is stored then
   */
  async open(actor: string, given: NewTicket): Promise<TicketRow> {
    const { title, body, service_id: serviceId = null, resource_type = null, resource_id = null } = given;
    // A number that does not fit the column cannot be a service of anyone.
    if (serviceId !== null && (serviceId < 1 || serviceId > LAST_SERVICE_ID)) throw noSuchService();
    const ticket = {
      id: randomUUID(),
      title,
      body,
      priority: given.priority ?? 'normal',
      resourceType: resource_type,
      resourceId: resource_id,
    };
    const [[opened]] = await this.database.write([this.openTicket({ ...ticket, service: serviceId, actor })]);
    const createdAt = opened?.result;
    if (!createdAt) throw noSuchService();
    const thread = { replies: [], replyCount: 0 };
    return { ...ticket, serviceId, status: 'open', createdAt, updatedAt: createdAt, thread };
  }

  /**
   * Adds the customer's reply to a ticket; the ticket is `open` then. @param actor the token, for the audit log.
   * @throws ServiceError not_found; ticket_closed; ticket_full from the 200th reply on. Nothing is stored then
   */
  async reply(actor: string, ticket: string, body: string): Promise<TicketReplyRow> {
    const [[result]] = await this.database.write([this.replyTo({ ticket, body, most: TICKET_REPLIES_MAX, actor })]);
    const { outcome, ...reply } = result ?? noSuchTicket();
    switch (outcome) {
      case 'replied':
        return reply;
      case 'closed':
        throw new ServiceError('ticket_closed', 'The ticket is closed; open a new one and name this one in it');
      case 'full':
        throw new ServiceError('ticket_full', `The ticket has ${TICKET_REPLIES_MAX} replies; open a new one`);
      default:
        return noSuchTicket();
    }
  }

  /**
   * Closes a ticket; a closed one stays as it is. @param actor the token, for the audit log. @throws ServiceError not_found
   */
  async close(actor: string, ticketId: string): Promise<TicketRow> {
    const found = { statement: this.byId, values: [ticketId] };
    const [, [ticket]] = await this.database.write([this.closeTicket({ ticket: ticketId, actor }), found]);
    return ticket ?? noSuchTicket();
  }
}

/** @throws ServiceError not_found: the ticket is not one of the customer's */
function noSuchTicket(): never {
  throw new ServiceError('not_found', 'You have no ticket with this id');
}

function noSuchService(): ServiceError {
  return new ServiceError('not_found', 'You have no service with this service_id');
}

/**
 * A ticket's thread without the operator's notes, which the role could not read in any case. One look into the index finds the
 * replies that are shown, in its order; only a thread that has more is counted. Arrays, because a list has many replies: with
 * objects and formatted times PostgreSQL took a quarter more for a page.
 * @param most the replies at most, the last ones; all of them unless given
 */
function threadOf(
  reads: EntityReadsService,
  most?: number,
): (ticket: EntityTable<Ticket>) => { thread: Expression<TicketThread> } {
  const r = reads.table(TicketReply, 'r');
  const place = `${r.column('createdAt')} desc, ${r.column('id')} desc`;
  const [id, author, body, createdAt] = REPLY.map((property) => r.column(property));
  return (ticket) => {
    const replies = `${r.from} where ${r.column('customerId')} = $1 and ${r.column('ticketId')} = ${ticket.column('id')}
      and not ${r.column('internal')}`;
    const count =
      most === undefined
        ? 'count(*)'
        : `case when count(*) < ${most} then count(*) else (select count(*) from ${replies}) end`;
    return {
      thread: {
        sql: `(select json_build_array(${count}, json_agg(json_build_array(${id}, ${author}, ${body}, ${createdAt}::text) order by ${place}))
          from (select * from ${replies} order by ${place} limit ${most ?? 'all'}) r)`,
        decode: readThread,
      },
    };
  };
}

/** In the order of the index, newest first, the database has nothing to sort. */
function readThread(text: string): TicketThread {
  type Reply = [id: string, author: TicketReplyRow['author'], body: string, createdAt: string];
  const [replyCount, replies] = JSON.parse(text) as [number, Reply[] | null];
  const rows = (replies ?? []).map(([id, author, body, createdAt]) => {
    return { id, author, body, createdAt: decoders.time(createdAt) };
  });
  return { replies: rows.reverse(), replyCount };
}
