import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '@app/audit';
import { CustomersModule } from '@app/customers';
import { BillingAccount } from '../entities/billing-account.entity';
import { InvoiceSyncProblem } from '../entities/invoice-sync-problem.entity';
import { InvoiceSync } from '../entities/invoice-sync.entity';
import { InvoiceNumber } from '../entities/invoice-number.entity';
import { Invoice } from '../entities/invoice.entity';
import { BillingSources } from '../sources/billing-sources';
import { BillingAccounts } from './billing-accounts';
import { InvoiceSyncs } from './invoice-syncs';
import { SyncStore } from './sync-store';

/** Invoices from the billing sources: who customers are there, and the syncs. */
@Module({
  imports: [
    TypeOrmModule.forFeature([Invoice, InvoiceNumber, BillingAccount, InvoiceSync, InvoiceSyncProblem]),
    AuditModule,
    CustomersModule,
  ],
  providers: [BillingSources, BillingAccounts, InvoiceSyncs, SyncStore],
  exports: [BillingAccounts, InvoiceSyncs],
})
export class InvoiceSyncModule {}
