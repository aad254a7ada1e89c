import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '@platform/audit';
import { OperatorAccountsModule } from '@platform/operator-accounts';
import { CustomersOperatorModule } from '@domains/customers';
import { ServicesOperatorModule } from '@domains/services';
import { TicketAssignment } from './entities/ticket-assignment.entity';
import { TicketReply } from './entities/ticket-reply.entity';
import { Ticket } from './entities/ticket.entity';
import { TicketsOperatorService } from './operator/tickets-operator.service';
import { TicketRetentionService } from './worker/ticket-retention.service';

@Module({
  imports: [
    TypeOrmModule.forFeature([Ticket, TicketReply, TicketAssignment]),
    AuditModule,
    OperatorAccountsModule,
    CustomersOperatorModule,
    ServicesOperatorModule,
  ],
  providers: [TicketsOperatorService, TicketRetentionService],
  exports: [TicketsOperatorService, TicketRetentionService],
})
export class SupportOperatorModule {}
