import { Module } from '@nestjs/common';
import { AuditModule } from '@app/audit';
import { SupportTickets } from './support-tickets';

/** Customers' own tickets. */
@Module({ imports: [AuditModule], providers: [SupportTickets], exports: [SupportTickets] })
export class SupportTicketsModule {}
