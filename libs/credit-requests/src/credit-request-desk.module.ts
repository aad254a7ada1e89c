import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AiOperatorModule } from '@app/ai';
import { AuditModule } from '@app/audit';
import { InvoiceBookModule } from '@app/invoices';
import { CreditRequestDesk } from './credit-request-desk';
import { CreditRequest } from './credit-request.entity';

/** The operator's way to credit requests. */
@Module({
  imports: [TypeOrmModule.forFeature([CreditRequest]), AiOperatorModule, AuditModule, InvoiceBookModule],
  providers: [CreditRequestDesk],
  exports: [CreditRequestDesk],
})
export class CreditRequestDeskModule {}
