import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { CustomerContextService } from '@platform/context';
import {
  CustomerDatabaseService,
  decoders,
  EntityReadsService,
  type EntityTable,
  EntityWritesService,
  type KeysetList,
  type ReadRow,
  type ReadStatement,
} from '@platform/database';
import { ServiceError } from '@platform/errors';
import type { Page, PageRequest } from '@platform/pagination';
import { TicketReply } from '../entities/ticket-reply.entity';
import { Ticket } from '../entities/ticket.entity';
import { LISTED_REPLIES, TICKET_REPLIES_MAX, type TicketPriority, type TicketStatus } from '../ticket-values';

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
  /** Oldest first; in lists only the last {@link LISTED_REPLIES}, and of a long thread the first ones. */
  replies: TicketReplyRow[];
  /** The number of replies in the whole thread. */
  replyCount: number;
}

/** The fields of a ticket that the customer sees, with its thread. */
export type TicketRow = ReadRow<Ticket, (typeof TICKET)[number]> & TicketThread;

/** Bytes of a thread's texts that are read at a time, apart from the last one. */
const PART_BYTES = 128 * 1024;

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
  private readonly laterPart: ReadStatement<TicketThread>;
  private readonly tickets: KeysetList<TicketRow>;
  private readonly openTicket;
  private readonly replyTo;
  private readonly closeTicket;

  constructor(
    private readonly database: CustomerDatabaseService,
    private readonly context: CustomerContextService,
    reads: EntityReadsService,
    writes: EntityWritesService,
  ) {
    this.byId = reads.find(Ticket, {
      name: 'support.find',
      select: TICKET,
      by: ['customerId', 'id'],
      extra: (ticket) => partOfThread(reads, ticket.column('id')),
    });
    const later = partOfThread(reads, '$2', `and (${repliesOf(reads).place.join(', ')}) > ($3::timestamptz, $4::uuid)`);
    this.laterPart = reads.statement<TicketThread>(
      'support.later-replies',
      `select ${later.replies.sql} as replies, ${later.replyCount.sql} as "replyCount"`,
      { replies: later.replies.decode, replyCount: later.replyCount.decode },
    );
    this.tickets = reads.list(Ticket, {
      name: 'support.tickets',
      select: TICKET,
      large: listedThread(reads),
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

  /**
   * One of the customer's tickets, with its thread or, if that has more than {@link PART_BYTES}, the first part of it: the rest is
   * read with {@link laterReplies}. @throws ServiceError not_found
   */
  async find(id: string): Promise<TicketRow> {
    const [ticket] = await this.database.read(this.byId, [id]);
    return ticket ?? noSuchTicket();
  }

  /** The replies behind those that a ticket was read with, in parts, for the customer in context when this is called. */
  laterReplies(ticket: TicketRow): AsyncGenerator<TicketReplyRow[]> {
    const { customerId } = this.context;
    return partsOf(ticket, async ({ createdAt, id: last }) => {
      // Parts are read when a reply's stream wants them, outside of the request's context.
      const read = () => this.database.read(this.laterPart, [ticket.id, createdAt, last]);
      const [part] = await this.context.run(customerId, read);
      return part;
    });
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
    return { ...ticket, serviceId, status: 'open', createdAt, updatedAt: createdAt, ...thread };
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

/** The parts of statements that read replies, without the operator's notes, which the role could not read in any case. */
function repliesOf(reads: EntityReadsService) {
  const r = reads.table(TicketReply, 'r');
  const [id, author, body, createdAt] = REPLY.map((property) => r.column(property));
  return {
    place: [createdAt, id] as const,
    /** The bytes of the texts. They are not read for that. */
    bytes: `octet_length(${body})`,
    /** @param ticket SQL for the ticket's id */
    from: (ticket: string) => `${r.from} where ${r.column('customerId')} = $1 and ${r.column('ticketId')} = ${ticket}
      and not ${r.column('internal')}`,
    /**
     * All replies as one text ({@link readReplies}), as they are: in JSON, texts of control characters are six times as long, for PostgreSQL
     * to write and for this process to read.
     */
    texts: `string_agg(${id} || ' ' || ${author} || ' ' || ${createdAt}::text || '|' || char_length(${body}) || '|' || ${body}, '')`,
  };
}

/** Bytes of a ticket in JSON besides its texts. */
const OTHER_BYTES = 512;

/**
 * A ticket's thread in lists: the last replies. One look into the index finds them, in its order; only a thread that has more is
 * counted. JSON is made only for the tickets that the page has room for.
 */
function listedThread(reads: EntityReadsService) {
  const { place, bytes, from, texts } = repliesOf(reads);
  const newest = place.map((column) => `${column} desc`).join(', ');
  return (ticket: EntityTable<Ticket>) => ({
    measure: `select count(*) as shown, ${texts} as texts,
        ${OTHER_BYTES} + octet_length(${ticket.column('title')}) + octet_length(${ticket.column('body')}) + coalesce(sum(${bytes}), 0)::integer as bytes
      from (select * from ${from(ticket.column('id'))} order by ${newest} limit ${LISTED_REPLIES}) r`,
    extra: {
      replies: {
        sql: `coalesce(page.texts, '')`,
        decode: (text: string) => readReplies(text).reverse(),
      },
      replyCount: {
        sql: `case when page.shown < ${LISTED_REPLIES} then page.shown else (select count(*) from ${from('page."id"')}) end`,
        decode: decoders.number,
      },
    },
  });
}

/**
 * A part of a ticket's thread, the oldest replies first, and the number of all replies of which it is a part.
 * @param ticket SQL for the ticket's id. @param condition on the replies
 */
function partOfThread(reads: EntityReadsService, ticket: string, condition = '') {
  const { place, bytes, from, texts } = repliesOf(reads);
  const order = `order by ${place.join(', ')}`;
  const replies = `${from(ticket)} ${condition}`;
  return {
    replies: {
      sql: `(select coalesce(${texts}, '')
        from (select *, sum(${bytes}) over (${order} rows unbounded preceding) - ${bytes} as before from ${replies} ${order}) r
        where before < ${PART_BYTES})`,
      decode: readReplies,
    },
    replyCount: { sql: `(select count(*) from ${replies})`, decode: decoders.number },
  };
}

/** The parts of a thread behind the first. @param read the part behind a reply */
async function* partsOf(
  first: TicketThread,
  read: (last: TicketReplyRow) => Promise<TicketThread | undefined>,
): AsyncGenerator<TicketReplyRow[]> {
  let part: TicketThread | undefined = first;
  for (;;) {
    const last: TicketReplyRow | undefined = part?.replies.at(-1);
    if (!part || !last || part.replies.length >= part.replyCount) return;
    part = await read(last);
    if (part && part.replies.length > 0) yield part.replies;
  }
}

/** Length of a UUID. */
const ID_LENGTH = 36;

const SURROGATE = /[\ud800-\udfff]/;

/** Reads the text of replies: of each one its id, author and time, the number of its body's characters, and the body. */
function readReplies(text: string): TicketReplyRow[] {
  const replies: TicketReplyRow[] = [];
  // Characters that are two here are one for PostgreSQL.
  const endOf = SURROGATE.test(text) ? endOfCharacters : (from: number, count: number) => from + count;
  for (let at = 0; at < text.length;) {
    const authorAt = at + ID_LENGTH + 1;
    const timeAt = text.indexOf(' ', authorAt) + 1;
    const lengthAt = text.indexOf('|', timeAt) + 1;
    const bodyAt = text.indexOf('|', lengthAt) + 1;
    const end = endOf(bodyAt, Number(text.slice(lengthAt, bodyAt - 1)), text);
    replies.push({
      id: text.slice(at, authorAt - 1),
      author: text.slice(authorAt, timeAt - 1) as TicketReplyRow['author'],
      body: text.slice(bodyAt, end),
      createdAt: decoders.time(text.slice(timeAt, lengthAt - 1)),
    });
    at = end;
  }
  return replies;
}

function endOfCharacters(from: number, count: number, text: string): number {
  let at = from;
  for (let left = count; left > 0; left--) at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  return at;
}
