import type { InvoiceSource, InvoiceType, VisibleInvoiceStatus } from '../invoice-record';

/** An invoice as the customer sees it. */
export interface InvoiceRow {
  id: string;
  type: InvoiceType;
  number: string;
  source: InvoiceSource;
  status: VisibleInvoiceStatus;
  /** Open, and past its due date. */
  overdue: boolean;
  currency: string;
  /** Minor units, as the driver has a bigint. */
  amount: string;
  amount_due: string;
  /** `YYYY-MM-DD`. */
  issue_date: string;
  due_date: string | null;
  /** RFC 3339. */
  paid_at: string | null;
  kid: string | null;
  /** A link that works without a credential; null if there is none, or the PDF must be streamed. */
  pdf_url: string | null;
  /** Whether `InvoicePdfs` can open the PDF. */
  streamed: boolean;
  hosted_url: string | null;
  created_at: string;
  updated_at: string;
}

/** What of an invoice's row is shown. @param zone the parameter that is the time zone whose date decides what is overdue */
export const invoiceColumns = (zone: string) => `id, type, number, source, status,
  status = 'open' and type = 'invoice' and due_date is not null and due_date < (app.now() at time zone ${zone})::date as overdue,
  currency, amount, amount_due, issue_date, due_date, paid_at, kid, pdf_url,
  pdf_reference is not null and pdf_url is null as streamed, hosted_url, created_at, updated_at`;
