/** An invoice as the store keeps it. Dates are `YYYY-MM-DD`, amounts øre. */
export interface FikenInvoice {
  invoiceId: number;
  invoiceNumber: number;
  customerId: number;
  issueDate: string;
  dueDate: string;
  gross: number;
  kid: string;
  createdDate: string;
  lastModifiedDate: string;
  /** Paid or credited on this date. */
  settledDate?: string;
  /** Written off. */
  writeOff: boolean;
  creditNoteIds: number[];
  /** Fields of the wire format to override, which makes the invoice malformed. */
  corrupted?: Record<string, unknown>;
}

/** A credit note as the store keeps it. */
export interface FikenCreditNote {
  creditNoteId: number;
  creditNoteNumber: number;
  customerId: number;
  invoiceId: number;
  issueDate: string;
  lastModifiedDate: string;
  gross: number;
  settled: boolean;
}
