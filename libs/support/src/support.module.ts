import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { SupportTicketReply } from './entities/support-ticket-reply.entity';
import { SupportTicket } from './entities/support-ticket.entity';

/** Support tickets. */
@Module({ imports: [TypeOrmModule.forFeature([SupportTicket, SupportTicketReply])] })
export class SupportModule {}
