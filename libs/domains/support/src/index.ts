export { Ticket } from './entities/ticket.entity';
export { TicketAssignment } from './entities/ticket-assignment.entity';
export { TicketReply } from './entities/ticket-reply.entity';
export {
  type AssignedTicket,
  type ListedTicket,
  type NewReply,
  TicketsOperatorService,
  type TicketFilter,
  type WrittenReply,
} from './operator/tickets-operator.service';
export { SupportOperatorModule } from './support-operator.module';
export { type NewTicket, type TicketReplyRow, type TicketRow, TicketsService } from './customer/tickets.service';
export { SupportModule } from './support.module';
export {
  LISTED_REPLIES,
  REPLY_AUTHORS,
  type ReplyAuthor,
  TICKET_BODY_MAX,
  TICKET_PRIORITIES,
  TICKET_REPLIES_MAX,
  TICKET_STATUSES,
  TICKET_TITLE_MAX,
  type TicketPriority,
  type TicketStatus,
} from './ticket-values';
export { SupportSchema1763683200600 } from './migrations/1763683200600-support';
export { TicketAssignments1763683201500 } from './migrations/1763683201500-ticket-assignments';
export { TicketRetentionService } from './worker/ticket-retention.service';
export { TicketInbox1763683203200 } from './migrations/1763683203200-ticket-inbox';
export { TicketOrders1763683204100 } from './migrations/1763683204100-ticket-orders';
export { TicketSearch1763683204500 } from './migrations/1763683204500-ticket-search';
export { UrgentTickets1763683205200 } from './migrations/1763683205200-urgent-tickets';
export { LastReplies1763683205300 } from './migrations/1763683205300-last-replies';
export { TicketIds1763683207600 } from './migrations/1763683207600-ticket-ids';
