import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '@platform/audit';
import { BillingCalendarModule } from '@platform/time';
import { CustomersOperatorModule } from '@domains/customers';
import { BillingAccount } from './entities/billing-account.entity';
import { InvoiceSyncProblem } from './entities/invoice-sync-problem.entity';
import { InvoiceSync } from './entities/invoice-sync.entity';
import { InvoiceNumber } from './entities/invoice-number.entity';
import { Invoice } from './entities/invoice.entity';
import { BillingSourcesModule } from './adapters/billing-sources.module';
import { BillingAccountsOperatorService } from './operator/billing-accounts-operator.service';
import { DueSyncsService } from './worker/due-syncs.service';
import { InvoiceSyncsService } from './worker/invoice-syncs.service';
import { SyncHealthService } from './health/sync-health.service';
import { InvoiceSyncsOperatorService } from './operator/invoice-syncs-operator.service';
import { SyncedDocumentsService } from './worker/synced-documents.service';
import { SyncRunsService } from './worker/sync-runs.service';

/** Links of customers to billing sources, and the syncs. */
@Module({
  imports: [
    TypeOrmModule.forFeature([Invoice, InvoiceNumber, BillingAccount, InvoiceSync, InvoiceSyncProblem]),
    AuditModule,
    BillingCalendarModule,
    CustomersOperatorModule,
    BillingSourcesModule,
  ],
  providers: [
    BillingAccountsOperatorService,
    DueSyncsService,
    InvoiceSyncsService,
    SyncHealthService,
    InvoiceSyncsOperatorService,
    SyncedDocumentsService,
    SyncRunsService,
  ],
  exports: [
    BillingAccountsOperatorService,
    DueSyncsService,
    InvoiceSyncsService,
    SyncHealthService,
    InvoiceSyncsOperatorService,
  ],
})
export class InvoiceSyncModule {}
