import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { TicketsService } from './customer/tickets.service';
import { TicketReply } from './entities/ticket-reply.entity';
import { Ticket } from './entities/ticket.entity';

@Module({
  imports: [TypeOrmModule.forFeature([Ticket, TicketReply])],
  providers: [TicketsService],
  exports: [TicketsService],
})
export class SupportModule {}
