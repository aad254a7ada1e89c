export { Invoice } from './entities/invoice.entity';
export { BillingAccount } from './entities/billing-account.entity';
export { InvoiceSync } from './entities/invoice-sync.entity';
export { InvoiceSyncProblem } from './entities/invoice-sync-problem.entity';
export { InvoicesOperatorService, type InvoiceFilter, type InvoiceSummary } from './operator/invoices-operator.service';
export { ManualInvoicesOperatorService, type ManualInvoice } from './operator/manual-invoices-operator.service';
export { InvoicesOperatorModule } from './invoices-operator.module';
export { DuplicateInvoiceError } from './operator/manual-invoices-operator.service';
export {
  BILLING_SOURCES,
  type BillingSourceName,
  INVOICE_STATUSES,
  type InvoiceSource,
  type InvoiceStatus,
  type InvoiceType,
  type VisibleInvoiceStatus,
} from './invoice-record';
export { type InvoicePdf, InvoicePdfsService } from './customer/invoice-pdfs.service';
export { type InvoiceListFilter, InvoicesService } from './customer/invoices.service';
export { InvoicesModule } from './invoices.module';
export type { InvoiceRow } from './customer/invoices.service';
export { BillingAccountsOperatorService, type SyncReport } from './operator/billing-accounts-operator.service';
export { InvoiceSyncModule } from './invoice-sync.module';
export { InvoiceSyncsService, RUN_DEADLINE_MS, type SyncOutcome } from './worker/invoice-syncs.service';
export { DueSyncsService, type SyncLaneSettings } from './worker/due-syncs.service';
export { type SourceSyncHealth, SyncHealthService } from './worker/sync-health.service';
export { SyncRequestsOperatorService } from './operator/sync-requests-operator.service';
export { InvoicesSchema1763683200900 } from './migrations/1763683200900-invoices';
