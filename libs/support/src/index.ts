export { SupportTicket } from './entities/support-ticket.entity';
export { SupportTicketReply } from './entities/support-ticket-reply.entity';
export { SupportModule } from './support.module';
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
