import type { SourceInvoice, SourceProblem } from '../../ports/billing-source.port';

/** Result of one step of a run. */
export interface SyncStep {
  invoices: SourceInvoice[];
  problems: SourceProblem[];
  /** Drafts that the source no longer has. Customers have never seen them. */
  gone?: string[];
  /** Documents that belong to another customer now. */
  moved?: string[];
  /** Issued invoices that the source did not have, twice in a row. */
  voided?: string[];
}

/** Problem of an issued document that its source no longer has. */
export const GONE = 'The source has it no more';
