export { Invoice } from './entities/invoice.entity';
export { BillingAccount } from './entities/billing-account.entity';
export { InvoiceSync } from './entities/invoice-sync.entity';
export { InvoiceSyncProblem } from './entities/invoice-sync-problem.entity';
export { InvoiceAdministration, type InvoiceFilter, type InvoiceSummary } from './book/invoice-administration';
export { InvoiceBook, type ManualInvoice } from './book/invoice-book';
export { InvoiceBookModule } from './book/invoice-book.module';
export { DuplicateInvoiceError } from './book/invoice-errors';
export {
  BILLING_SOURCES,
  type BillingSourceName,
  INVOICE_STATUSES,
  type InvoiceSource,
  type InvoiceStatus,
  type InvoiceType,
  type VisibleInvoiceStatus,
} from './invoice-record';
export { toDecimal, toMinorUnits, toNumber } from './money';
export { type InvoicePdf, InvoicePdfs } from './reading/invoice-pdfs';
export { type InvoiceListFilter, InvoiceReader } from './reading/invoice-reader';
export { InvoiceReaderModule } from './reading/invoice-reader.module';
export type { InvoiceRow } from './reading/invoice-view';
export { BillingAccounts, type SyncReport } from './sync/billing-accounts';
export { InvoiceSyncModule } from './sync/invoice-sync.module';
export { InvoiceSyncs, RUN_DEADLINE_MS, type SyncOutcome } from './sync/invoice-syncs';
export { DueSyncsService, type SyncLaneSettings } from './sync/due-syncs.service';
export { type SourceSyncHealth, SyncHealth } from './sync/sync-health.service';
export { SyncRequests } from './sync/sync-requests.service';
