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
