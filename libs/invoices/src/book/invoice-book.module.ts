import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '@app/audit';
import { CustomersModule } from '@app/customers';
import { InvoiceNumber } from '../entities/invoice-number.entity';
import { Invoice } from '../entities/invoice.entity';
import { InvoiceAdministration } from './invoice-administration';
import { InvoiceBook } from './invoice-book';

/** The operator's own invoices. */
@Module({
  imports: [TypeOrmModule.forFeature([Invoice, InvoiceNumber]), AuditModule, CustomersModule],
  providers: [InvoiceBook, InvoiceAdministration],
  exports: [InvoiceBook, InvoiceAdministration],
})
export class InvoiceBookModule {}
