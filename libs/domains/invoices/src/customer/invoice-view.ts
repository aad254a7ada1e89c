import type { InvoiceSource, InvoiceType, VisibleInvoiceStatus } from '../invoice-record';

/** The fields of an invoice that the customer sees. */
export interface InvoiceRow {
  id: string;
  type: InvoiceType;
  number: string;
  source: InvoiceSource;
  status: VisibleInvoiceStatus;
  /** Open, and past its due date. */
  overdue: boolean;
  currency: string;
  /** Minor units; a string because the driver returns bigints as strings. */
  amount: string;
  amount_due: string;
  /** `YYYY-MM-DD`. */
  issue_date: string;
  due_date: string | null;
  /** RFC 3339. */
  paid_at: string | null;
  kid: string | null;
  /** A link that works without a credential; null if there is none, or the API serves the PDF. */
  pdf_url: string | null;
  /** Whether the API serves the PDF. */
  streamed: boolean;
  hosted_url: string | null;
  created_at: string;
  updated_at: string;
}

/** Columns that the customer sees. @param zone the parameter with the time zone that decides what is overdue */
export const invoiceColumns = (zone: string) => `id, type, number, source, status,
  status = 'open' and type = 'invoice' and due_date is not null and due_date < (app.now() at time zone ${zone})::date as overdue,
  currency, amount, amount_due, issue_date, due_date, paid_at, kid, pdf_url,
  pdf_reference is not null and pdf_url is null as streamed, hosted_url, created_at, updated_at`;
