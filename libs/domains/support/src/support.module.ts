import { Module } from '@nestjs/common';
import { TicketsService } from './customer/tickets.service';

/** Customers' own tickets. */
@Module({ providers: [TicketsService], exports: [TicketsService] })
export class SupportModule {}
