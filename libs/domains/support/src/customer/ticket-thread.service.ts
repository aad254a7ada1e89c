import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { CustomerDatabaseService, prepared } from '@platform/database';
import { ServiceError } from '@platform/errors';
import { TICKET_REPLIES_MAX } from '../ticket-record';
import { noSuchTicket } from './no-such-ticket';
import type { TicketReplyRow, TicketRow, TicketThread } from './ticket-view';

const REPLY = prepared(
  'support.reply',
  'select outcome, replied_at from app.reply_to_support_ticket($1, $2, $3, $4, $5, $6, $7)',
);
const CLOSE = prepared(
  'support.close',
  `select title, body, priority, service_id as "serviceId", resource_type as "resourceType", resource_id as "resourceId",
     created_at as "createdAt", updated_at as "updatedAt", replies from app.close_support_ticket($1, $2, $3, $4)`,
);

type ClosedTicket = Omit<TicketRow, 'id' | 'status' | 'thread'> & Pick<TicketThread, 'replies'>;

interface ReplyResult {
  outcome: 'replied' | 'unknown' | 'closed' | 'full';
  /** Null unless the outcome is `replied`. */
  replied_at: string;
}

/** What the customer adds to its own tickets. Every change is audited. */
@Injectable()
export class TicketThreadService {
  constructor(private readonly database: CustomerDatabaseService) {}

  /**
   * Adds the customer's reply to a ticket; the ticket is `open` then. @param actor the token, for the audit log.
   * @throws ServiceError not_found; ticket_closed; ticket_full from the 200th reply on. Nothing is stored then
   */
  async reply(actor: string, ticketId: string, body: string): Promise<TicketReplyRow> {
    const id = randomUUID();
    const values = [ticketId, id, body, TICKET_REPLIES_MAX, actor, randomUUID()];
    const [result] = await this.database.write<ReplyResult>(REPLY, values);
    switch (result?.outcome) {
      case 'replied':
        return { id, author: 'customer', body, createdAt: result.replied_at };
      case 'closed':
        throw new ServiceError('ticket_closed', 'The ticket is closed; open a new one and name this one in it');
      case 'full':
        throw new ServiceError('ticket_full', `The ticket has ${TICKET_REPLIES_MAX} replies; open a new one`);
      default:
        throw noSuchTicket();
    }
  }

  /**
   * Closes a ticket; a closed one stays as it is. @param actor the token, for the audit log. @throws ServiceError not_found
   */
  async close(actor: string, ticketId: string): Promise<TicketRow> {
    const [closed] = await this.database.write<ClosedTicket>(CLOSE, [ticketId, actor, randomUUID()]);
    if (!closed) throw noSuchTicket();
    const { replies, ...ticket } = closed;
    return { ...ticket, id: ticketId, status: 'closed', thread: { replies, replyCount: replies.length } };
  }
}
