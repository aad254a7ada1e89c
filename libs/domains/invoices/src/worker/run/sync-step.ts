import type { SourceInvoice, SourceProblem } from '../../ports/billing-source.port';

/** What one step of a run found. */
export interface SyncStep {
  invoices: SourceInvoice[];
  problems: SourceProblem[];
  /** Drafts that the source has no more. Nobody has ever seen them. */
  gone?: string[];
  /** Documents that belong to another customer now. */
  moved?: string[];
  /** Issued invoices that the source has no more, twice in a row. */
  voided?: string[];
}

/** What is noted of an issued document that its source has no more. */
export const GONE = 'The source has it no more';
