import type { ReadRow } from '@platform/database';
import type { Invoice } from '../entities/invoice.entity';
import type { VisibleInvoiceStatus } from '../invoice-record';

/** Properties that the customer sees. */
export const INVOICE = [
  'id',
  'type',
  'number',
  'source',
  'status',
  'currency',
  'amount',
  'amountDue',
  'issueDate',
  'dueDate',
  'paidAt',
  'kid',
  'pdfUrl',
  'hostedUrl',
  'createdAt',
  'updatedAt',
] as const satisfies (keyof Invoice)[];

/** The fields of an invoice that the customer sees; amounts in minor units. */
export type InvoiceRow = Omit<ReadRow<Invoice, (typeof INVOICE)[number]>, 'status'> & {
  status: VisibleInvoiceStatus;
  /** Open, and past its due date. */
  overdue: boolean;
  /** Whether the API serves the PDF. */
  streamed: boolean;
};
