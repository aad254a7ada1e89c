import { Command } from 'nest-commander';
import { CommandGroup } from '../command-group';
import { TicketListCommand } from './ticket-list.command';
import { TicketNoteCommand } from './ticket-note.command';
import { TicketReplyCommand } from './ticket-reply.command';
import { TicketSetStatusCommand } from './ticket-set-status.command';
import { TicketShowCommand } from './ticket-show.command';

const verbs = [TicketListCommand, TicketShowCommand, TicketReplyCommand, TicketNoteCommand, TicketSetStatusCommand];

@Command({ name: 'ticket', description: 'support tickets', subCommands: verbs })
export class TicketCommand extends CommandGroup {}

export const ticketCommands = [TicketCommand, ...verbs];
