import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '@platform/audit';
import { BillingCalendarModule } from '@platform/time';
import { CustomersOperatorModule } from '@domains/customers';
import { InvoiceNumber } from './entities/invoice-number.entity';
import { Invoice } from './entities/invoice.entity';
import { InvoicesOperatorService } from './operator/invoices-operator.service';

@Module({
  imports: [
    TypeOrmModule.forFeature([Invoice, InvoiceNumber]),
    AuditModule,
    BillingCalendarModule,
    CustomersOperatorModule,
  ],
  providers: [InvoicesOperatorService],
  exports: [InvoicesOperatorService],
})
export class InvoicesOperatorModule {}
