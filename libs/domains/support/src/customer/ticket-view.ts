import type { ReplyAuthor, TicketPriority, TicketStatus } from '../ticket-record';

/** The fields of a reply that the customer sees. */
export interface TicketReplyRow {
  id: string;
  author: ReplyAuthor;
  body: string;
  /** RFC 3339. */
  created_at: string;
}

/** The fields of a ticket that the customer sees. */
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

/** Columns that the customer sees. */
export const TICKET_COLUMNS =
  'id, title, body, status, priority, service_id, resource_type, resource_id, created_at, updated_at';
