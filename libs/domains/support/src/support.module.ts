import { Module } from '@nestjs/common';
import { TicketsService } from './customer/tickets.service';

@Module({ providers: [TicketsService], exports: [TicketsService] })
export class SupportModule {}
