import type { EntityReadsService, EntityTable, Expression, ReadRow } from '@platform/database';
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
 * A ticket's thread without the operator's notes, which the role could not read in any case. One look into the index finds the
 * replies that are shown, in its order; only a thread that has more is counted.
 * @param most the replies at most, the last ones; all of them unless given
 */
export function threadOf(
  reads: EntityReadsService,
  most?: number,
): (ticket: EntityTable<Ticket>) => { thread: Expression<TicketThread> } {
  const r = reads.table(TicketReply, 'r');
  const place = `${r.column('createdAt')} desc, ${r.column('id')} desc`;
  return (ticket) => {
    const replies = `${r.from} where ${r.column('customerId')} = $1 and ${r.column('ticketId')} = ${ticket.column('id')}
      and not ${r.column('internal')}`;
    const count =
      most === undefined
        ? 'count(*)'
        : `case when count(*) < ${most} then count(*) else (select count(*) from ${replies}) end`;
    return {
      thread: {
        sql: `(select json_build_object('replyCount', ${count}, 'replies', coalesce(json_agg(${r.json(REPLY)} order by ${place}), '[]'))
          from (select * from ${replies} order by ${place} limit ${most ?? 'all'}) r)`,
        decode: oldestFirst,
      },
    };
  };
}

/** In the order of the index, newest first, the database has nothing to sort. */
function oldestFirst(text: string): TicketThread {
  const thread = JSON.parse(text) as TicketThread;
  thread.replies.reverse();
  return thread;
}
