/** Status of a ticket: with the operator, waiting for the customer, solved, finished. */
export const TICKET_STATUSES = ['open', 'pending', 'resolved', 'closed'] as const;
export type TicketStatus = (typeof TICKET_STATUSES)[number];

export const TICKET_PRIORITIES = ['low', 'normal', 'high', 'urgent'] as const;
export type TicketPriority = (typeof TICKET_PRIORITIES)[number];

/** The author of a reply. */
export const REPLY_AUTHORS = ['customer', 'operator'] as const;
export type ReplyAuthor = (typeof REPLY_AUTHORS)[number];

/** Limits in Unicode characters. */
export const TICKET_TITLE_MAX = 160;
export const TICKET_BODY_MAX = 5000;

/** Replies that a list shows of each ticket: the last ones. */
export const LISTED_REPLIES = 10;

/** Replies of a ticket, of both sides together, from which on a customer can add none. */
export const TICKET_REPLIES_MAX = 200;
