export { BillingAccount } from './entities/billing-account.entity';
export { InvoiceSyncProblem } from './entities/invoice-sync-problem.entity';
export { InvoiceSync } from './entities/invoice-sync.entity';
export { Invoice } from './entities/invoice.entity';
export {
  asPrinted,
  BILLING_SOURCES,
  type BillingSourceName,
  INVOICE_MAX_NOK,
  INVOICE_NUMBER_MAX,
  INVOICE_STATUSES,
  type InvoiceSource,
  type InvoiceStatus,
  type InvoiceType,
  KID_MAX,
  type VisibleInvoiceStatus,
} from './invoice-values';
export { type InvoicePdf, InvoicePdfsService } from './customer/invoice-pdfs.service';
export { type InvoiceListFilter, type InvoiceRow, InvoicesService } from './customer/invoices.service';
export { InvoicesModule } from './invoices.module';
export {
  DuplicateInvoiceError,
  type InvoiceDetails,
  type InvoiceFilter,
  InvoicesOperatorService,
  type InvoiceSummary,
  type ManualInvoice,
} from './operator/invoices-operator.service';
export { InvoicesOperatorModule } from './invoices-operator.module';
export { BillingAccountsOperatorService } from './operator/billing-accounts-operator.service';
export { InvoiceSyncsOperatorService, type SyncReport } from './operator/invoice-syncs-operator.service';
export { DueSyncsService, type SyncLaneSettings } from './worker/due-syncs.service';
export { InvoiceSyncsService, RUN_DEADLINE_MS, type SyncOutcome } from './worker/invoice-syncs.service';
export { type SourceSyncHealth, SyncHealthService } from './health/sync-health.service';
export { InvoiceSyncModule } from './invoice-sync.module';
export { InvoicesSchema1763683200900 } from './migrations/1763683200900-invoices';
export { InvoiceInbox1763683203300 } from './migrations/1763683203300-invoice-inbox';
export { InvoiceSearch1763683204800 } from './migrations/1763683204800-invoice-search';
export { BillingAccountCompany1763683205600 } from './migrations/1763683205600-billing-account-company';
export { InvoiceNumbersOfCompanies1763683205800 } from './migrations/1763683205800-invoice-numbers-of-companies';
export { FailingInvoiceSyncs1763683205100 } from './migrations/1763683205100-failing-invoice-syncs';
export { InvoiceIds1763683207700 } from './migrations/1763683207700-invoice-ids';
export { fikenSettings, stripeSettings } from './adapters/source-settings';
