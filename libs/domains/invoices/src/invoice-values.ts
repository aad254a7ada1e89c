/** External systems that invoices are synced from. */
export const BILLING_SOURCES = ['stripe', 'fiken'] as const;
export type BillingSourceName = (typeof BILLING_SOURCES)[number];

/** Where an invoice was issued: by the operator, or in a billing source. */
export type InvoiceSource = 'manual' | BillingSourceName;

/** Statuses that customers see. */
export const INVOICE_STATUSES = ['open', 'paid', 'void', 'uncollectible'] as const;
export type VisibleInvoiceStatus = (typeof INVOICE_STATUSES)[number];

/** `draft` is internal. */
export type InvoiceStatus = 'draft' | VisibleInvoiceStatus;

/** A credit note takes back (part of) an invoice; its amount is positive, as printed on it. */
export type InvoiceType = 'invoice' | 'credit_note';

/** Limits of an invoice that the operator issued, in Unicode characters. */
export const INVOICE_NUMBER_MAX = 100;
export const KID_MAX = 25;

/**
 * A number or KID that a person typed or pasted, as it is stored and compared: without blanks around it, its letters in one form
 * (NFC). What looks the same is the same. Nothing but blanks stays as it is, for its refusal.
 */
export function asPrinted(text: string): string {
  return text.trim().normalize('NFC') || text;
}

/** Its highest total, in NOK. */
export const INVOICE_MAX_NOK = 1_000_000_000;
