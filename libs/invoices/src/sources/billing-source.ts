import type { Readable } from 'node:stream';
import type { BillingSourceName, InvoiceStatus, InvoiceType } from '../invoice-record';

/** An invoice or credit note as a source has it, in our terms. */
export interface SourceInvoice {
  /** Never changes, and no other document of the source has it. */
  sourceId: string;
  type: InvoiceType;
  number: string;
  status: InvoiceStatus;
  /** ISO 4217, upper case. */
  currency: string;
  /** Minor units. */
  amount: bigint;
  amountDue: bigint;
  /** `YYYY-MM-DD`. */
  issueDate: string;
  dueDate: string | null;
  paidAt: Date | null;
  kid: string | null;
  /** What {@link BillingSource.openPdf} needs to find the PDF; null if there is none. */
  pdfReference: string | null;
  hostedUrl: string | null;
  /** When it came to be. */
  createdAt: Date;
}

/** Begins the ids of credit notes: sources count them apart from invoices. */
export const CREDIT_NOTE = 'credit-note:';

/** An item that could not be read, and why. */
export interface SourceProblem {
  sourceId: string;
  detail: string;
}

/** A part of a feed. */
export interface SourcePage {
  invoices: SourceInvoice[];
  problems: SourceProblem[];
  /** Where the next part begins; the feed ends here without it. */
  next?: string;
}

/** What is asked of a feed. */
export interface FeedRequest {
  feed: string;
  /** The customer's id in the source. */
  account: string;
  /** When the last complete sync began; the first sync has none and wants everything. */
  since?: Date;
  /** Where to begin; the start without. */
  position?: string;
}

/** A file on its way from the source. */
export interface SourceFile {
  content: Readable;
  /** Bytes, if the source says. */
  length?: number;
}

/** A system that issues invoices. All of it may throw {@link SourceError}. */
export interface BillingSource {
  readonly name: BillingSourceName;

  /** Syncs that may run at a time. */
  readonly concurrency: number;

  /**
   * What a sync reads, in this order: what is new or changed since, and what is unsettled at present. An unsettled
   * invoice of ours that is in none of them has been settled meanwhile, and is asked for by itself.
   */
  feeds(since: Date | undefined): readonly string[];

  /** Reads a part of a feed. @throws LostPositionError if the position is gone and the feed must start over */
  readPage(request: FeedRequest): Promise<SourcePage>;

  /** Reads one document; nothing if the source has it no more. */
  readOne(account: string, sourceId: string): Promise<SourceInvoice | SourceProblem | undefined>;

  /** Opens the PDF of a document; nothing if the source has none. */
  openPdf(sourceId: string, pdfReference: string): Promise<SourceFile | undefined>;
}

/** Tells an item that could not be read from one that could. */
export function isProblem(item: SourceInvoice | SourceProblem): item is SourceProblem {
  return 'detail' in item;
}
