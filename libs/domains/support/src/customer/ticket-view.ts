import type { ReplyAuthor, TicketPriority, TicketStatus } from '../ticket-record';

/** A reply as the customer sees it. */
export interface TicketReplyRow {
  id: string;
  author: ReplyAuthor;
  body: string;
  /** RFC 3339. */
  created_at: string;
}

/** A ticket as the customer sees it. */
export interface TicketRow {
  id: string;
  title: string;
  body: string;
  status: TicketStatus;
  priority: TicketPriority;
  service_id: number | null;
  resource_type: string | null;
  resource_id: string | null;
  /** RFC 3339. */
  created_at: string;
  updated_at: string;
  /** Oldest first. */
  replies: TicketReplyRow[];
}

/** What of a ticket's row is shown. */
export const TICKET_COLUMNS =
  'id, title, body, status, priority, service_id, resource_type, resource_id, created_at, updated_at';
