import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '@app/audit';
import { CustomersModule } from '@app/customers';
import { BillingAccount } from '../entities/billing-account.entity';
import { InvoiceSyncProblem } from '../entities/invoice-sync-problem.entity';
import { InvoiceSync } from '../entities/invoice-sync.entity';
import { InvoiceNumber } from '../entities/invoice-number.entity';
import { Invoice } from '../entities/invoice.entity';
import { BillingSourcesModule } from '../sources/billing-sources.module';
import { BillingAccounts } from './billing-accounts';
import { DueSyncsService } from './due-syncs.service';
import { InvoiceSyncs } from './invoice-syncs';
import { SyncHealth } from './sync-health.service';
import { SyncRequests } from './sync-requests.service';
import { SyncStore } from './sync-store';

/** Invoices from the billing sources: who customers are there, and the syncs. */
@Module({
  imports: [
    TypeOrmModule.forFeature([Invoice, InvoiceNumber, BillingAccount, InvoiceSync, InvoiceSyncProblem]),
    AuditModule,
    CustomersModule,
    BillingSourcesModule,
  ],
  providers: [BillingAccounts, DueSyncsService, InvoiceSyncs, SyncHealth, SyncRequests, SyncStore],
  exports: [BillingAccounts, DueSyncsService, InvoiceSyncs, SyncHealth, SyncRequests],
})
export class InvoiceSyncModule {}
