export { Invoice } from './entities/invoice.entity';
export { BillingAccount } from './entities/billing-account.entity';
export { InvoiceSync } from './entities/invoice-sync.entity';
export { InvoiceSyncProblem } from './entities/invoice-sync-problem.entity';
export { InvoiceBook, type ManualInvoice } from './invoice-book';
export { DuplicateInvoiceError } from './invoice-errors';
export { InvoicesModule } from './invoices.module';
export {
  BILLING_SOURCES,
  type BillingSourceName,
  INVOICE_STATUSES,
  type InvoiceSource,
  type InvoiceStatus,
  type InvoiceType,
  type VisibleInvoiceStatus,
} from './invoice-record';
