import type { TicketStatus } from '@domains/support';
import * as read from '../../options/read';

export const ticketStatus = read.oneOf<TicketStatus>()('open', 'pending', 'resolved', 'closed');
