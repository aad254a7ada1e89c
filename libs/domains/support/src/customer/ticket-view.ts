import type { ReadRow } from '@platform/database';
import type { TicketReply } from '../entities/ticket-reply.entity';
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

/** The fields of a ticket that the customer sees, and its replies, oldest first. */
export type TicketRow = ReadRow<Ticket, (typeof TICKET)[number]> & { replies: TicketReplyRow[] };
