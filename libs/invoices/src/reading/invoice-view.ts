import type { InvoiceSource, InvoiceType, VisibleInvoiceStatus } from '../invoice-record';

/** An invoice as the customer sees it. */
export interface InvoiceView {
  id: string;
  type: InvoiceType;
  number: string;
  source: InvoiceSource;
  status: VisibleInvoiceStatus;
  /** Open, and past its due date. */
  overdue: boolean;
  currency: string;
  /** Minor units. */
  amount: bigint;
  amountDue: bigint;
  issueDate: string;
  dueDate: string | null;
  paidAt: Date | null;
  kid: string | null;
  /** A link that works without a credential; null if there is none, or the PDF must be streamed. */
  pdfUrl: string | null;
  /** Whether {@link InvoicePdfs} can open the PDF. */
  streamed: boolean;
  hostedUrl: string | null;
  createdAt: Date;
  updatedAt: Date;
}

/** A row of invoice as the statements select it. */
export interface InvoiceRow {
  id: string;
  type: InvoiceType;
  number: string;
  source: InvoiceSource;
  status: VisibleInvoiceStatus;
  currency: string;
  amount: string;
  amount_due: string;
  issue_date: string;
  due_date: string | null;
  paid_at: Date | null;
  kid: string | null;
  pdf_url: string | null;
  streamed: boolean;
  hosted_url: string | null;
  created_at: Date;
  updated_at: Date;
}

/** What {@link toInvoiceView} needs selected. */
export const INVOICE_COLUMNS = `id, type, number, source, status, currency, amount, amount_due, issue_date, due_date, paid_at,
  kid, pdf_url, pdf_reference is not null as streamed, hosted_url, created_at, updated_at`;

/** A row in the service's terms. @param today `YYYY-MM-DD` */
export function toInvoiceView(row: InvoiceRow, today: string): InvoiceView {
  return {
    id: row.id,
    type: row.type,
    number: row.number,
    source: row.source,
    status: row.status,
    overdue: row.status === 'open' && row.type === 'invoice' && row.due_date !== null && row.due_date < today,
    currency: row.currency,
    amount: BigInt(row.amount),
    amountDue: BigInt(row.amount_due),
    issueDate: row.issue_date,
    dueDate: row.due_date,
    paidAt: row.paid_at,
    kid: row.kid,
    pdfUrl: row.pdf_url,
    streamed: row.streamed && row.pdf_url === null,
    hostedUrl: row.hosted_url,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
