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

/** The replies of a ticket. */
export interface TicketThread {
  /** Oldest first; in lists only the last {@link LISTED_REPLIES}. */
  replies: TicketReplyRow[];
  /** The number of replies in the whole thread. */
  replyCount: number;
}

/** The fields of a ticket that the customer sees, and its thread. */
export type TicketRow = ReadRow<Ticket, (typeof TICKET)[number]> & { thread: TicketThread };

/**
 * A ticket's thread without the operator's notes, which the role could not read in any case. One expression has all of it: each
 * costs a look into the index per ticket.
 * @param most the replies at most, the last ones; all of them unless given
 */
export function threadOf(
  reads: EntityReadsService,
  most?: number,
): (ticket: EntityTable<Ticket>) => { thread: Expression<TicketThread> } {
  const r = reads.table(TicketReply, 'r');
  const reply = r.json(REPLY);
  return (ticket) => ({
    thread: {
      sql: `(select json_build_object('replyCount', count(*),
          'replies', coalesce(json_agg(l.reply order by l.place desc) filter (where l.reply is not null), '[]'))
        from (
          select row_number() over latest as place,
            ${most === undefined ? reply : `case when row_number() over latest <= ${most} then ${reply} end`} as reply
          from ${r.from}
          where ${r.column('customerId')} = $1 and ${r.column('ticketId')} = ${ticket.column('id')} and not ${r.column('internal')}
          window latest as (order by ${r.column('createdAt')} desc, ${r.column('id')} desc)) l)`,
      decode: decoders.json as (text: string) => TicketThread,
    },
  });
}
