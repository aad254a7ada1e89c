import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { TicketsService } from './customer/tickets.service';
import { TicketThreadService } from './customer/ticket-thread.service';
import { TicketReply } from './entities/ticket-reply.entity';
import { Ticket } from './entities/ticket.entity';

@Module({
  imports: [TypeOrmModule.forFeature([Ticket, TicketReply])],
  providers: [TicketsService, TicketThreadService],
  exports: [TicketsService, TicketThreadService],
})
export class SupportModule {}
