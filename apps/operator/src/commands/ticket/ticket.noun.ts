import type { Noun } from '../command';
import { ticketList } from './ticket-list.command';
import { ticketNote } from './ticket-note.command';
import { ticketReply } from './ticket-reply.command';
import { ticketSetStatus } from './ticket-set-status.command';
import { ticketShow } from './ticket-show.command';

export const ticketNoun: Noun = {
  name: 'ticket',
  description: 'support tickets',
  commands: [ticketList, ticketShow, ticketReply, ticketNote, ticketSetStatus],
};
