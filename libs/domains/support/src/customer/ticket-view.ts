import { decoders, type EntityReadsService, type EntityTable, type Expression, type ReadRow } from '@platform/database';
import { TicketReply } from '../entities/ticket-reply.entity';
import type { Ticket } from '../entities/ticket.entity';

/** Properties of a ticket that the customer sees. */
export const TICKET = [
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
export const REPLY = ['id', 'author', 'body', 'createdAt'] as const satisfies (keyof TicketReply)[];

/** The fields of a reply that the customer sees. */
export type TicketReplyRow = ReadRow<TicketReply, (typeof REPLY)[number]>;

/** What a ticket has besides its own fields. */
export interface TicketThread {
  /** Oldest first; in lists only the last {@link LISTED_REPLIES}. */
  replies: TicketReplyRow[];
  /** The number of replies in the whole thread. */
  replyCount: number;
}

/** The fields of a ticket that the customer sees, and its thread. */
export type TicketRow = ReadRow<Ticket, (typeof TICKET)[number]> & TicketThread;

/**
 * A ticket's thread without the operator's notes, which the role could not read in any case.
 * @param most the replies at most, the last ones; all of them unless given
 */
export function threadOf(
  reads: EntityReadsService,
  most?: number,
): (ticket: EntityTable<Ticket>) => { [Key in keyof TicketThread]: Expression<TicketThread[Key]> } {
  const reply = reads.table(TicketReply, 'r');
  const [createdAt, id] = [reply.column('createdAt'), reply.column('id')];
  return (ticket) => {
    const shown = `from ${reply.from}
      where ${reply.column('customerId')} = $1 and ${reply.column('ticketId')} = ${ticket.column('id')}
        and not ${reply.column('internal')}`;
    const last = `select ${reply.json(REPLY)} as reply, row_number() over (order by ${createdAt} desc, ${id} desc) as place
      ${shown} order by ${createdAt} desc, ${id} desc`;
    return {
      replies: {
        sql: `(select coalesce(json_agg(l.reply order by l.place desc), '[]')
          from (${last}${most === undefined ? '' : ` limit ${most}`}) l)`,
        decode: decoders.json as (text: string) => TicketReplyRow[],
      },
      replyCount: { sql: `(select count(*) ${shown})`, decode: decoders.number },
    };
  };
}
