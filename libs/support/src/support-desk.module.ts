import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '@app/audit';
import { CustomersModule } from '@app/customers';
import { CustomerServicesModule } from '@app/services';
import { SupportTicketReply } from './entities/support-ticket-reply.entity';
import { SupportTicket } from './entities/support-ticket.entity';
import { SupportDesk } from './support-desk';

/** The operator's way to tickets. */
@Module({
  imports: [
    TypeOrmModule.forFeature([SupportTicket, SupportTicketReply]),
    AuditModule,
    // What tickets refer to.
    CustomersModule,
    CustomerServicesModule,
  ],
  providers: [SupportDesk],
  exports: [SupportDesk],
})
export class SupportDeskModule {}
