export { SupportTicket } from './entities/support-ticket.entity';
export { SupportTicketReply } from './entities/support-ticket-reply.entity';
export { type NewReply, SupportDesk, type TicketFilter } from './support-desk';
export { SupportDeskModule } from './support-desk.module';
export { type NewTicket, SupportTickets } from './support-tickets';
export { SupportTicketsModule } from './support-tickets.module';
export {
  REPLY_AUTHORS,
  type ReplyAuthor,
  TICKET_BODY_MAX,
  TICKET_PRIORITIES,
  TICKET_STATUSES,
  TICKET_TITLE_MAX,
  type TicketPriority,
  type TicketStatus,
} from './ticket-record';
export type { TicketReplyRow, TicketRow } from './ticket-view';
