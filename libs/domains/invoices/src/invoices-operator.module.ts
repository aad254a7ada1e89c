import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '@platform/audit';
import { MaintenanceOperatorModule } from '@platform/maintenance';
import { BillingCalendarModule } from '@platform/time';
import { CustomersOperatorModule } from '@domains/customers';
import { InvoiceNumber } from './entities/invoice-number.entity';
import { Invoice } from './entities/invoice.entity';
import { BillingSourcesCheckOperatorService } from './operator/billing-sources-check-operator.service';
import { InvoicesOperatorService } from './operator/invoices-operator.service';

@Module({
  imports: [
    TypeOrmModule.forFeature([Invoice, InvoiceNumber]),
    AuditModule,
    BillingCalendarModule,
    CustomersOperatorModule,
    MaintenanceOperatorModule,
  ],
  providers: [BillingSourcesCheckOperatorService, InvoicesOperatorService],
  exports: [InvoicesOperatorService],
})
export class InvoicesOperatorModule {}
