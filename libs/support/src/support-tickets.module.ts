import { Module } from '@nestjs/common';
import { SupportTickets } from './support-tickets';

/** Customers' own tickets. */
@Module({ providers: [SupportTickets], exports: [SupportTickets] })
export class SupportTicketsModule {}
