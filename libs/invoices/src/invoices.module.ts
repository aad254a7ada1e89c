import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { BillingAccount } from './entities/billing-account.entity';
import { Invoice } from './entities/invoice.entity';
import { InvoiceSyncProblem } from './entities/invoice-sync-problem.entity';
import { InvoiceSync } from './entities/invoice-sync.entity';
import { InvoiceBook } from './invoice-book';

/** Invoices of all sources. */
@Module({
  imports: [TypeOrmModule.forFeature([Invoice, BillingAccount, InvoiceSync, InvoiceSyncProblem])],
  providers: [InvoiceBook],
  exports: [InvoiceBook],
})
export class InvoicesModule {}
