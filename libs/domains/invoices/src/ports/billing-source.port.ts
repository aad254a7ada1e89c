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
  /** Minor units; of a credit note what it takes back, never negative. */
  amount: bigint;
  /** Minor units, never negative. */
  amountDue: bigint;
  /** `YYYY-MM-DD`. */
  issueDate: string;
  dueDate: string | null;
  paidAt: Date | null;
  kid: string | null;
  /** What {@link BillingSource.fetchPdf} needs to find the PDF; null if there is none. */
  pdfReference: string | null;
  hostedUrl: string | null;
  /** When it was issued; of a draft, when that was made. */
  createdAt: Date;
}

/** Begins the ids of credit notes: sources count them apart from invoices. */
export const CREDIT_NOTE = 'credit-note:';

/** An item that could not be read, and why. */
export interface SourceProblem {
  sourceId: string;
  detail: string;
  /** It is another customer's: what is stored of it for this one must go. */
  foreign?: true;
  /** It has no id, so that it cannot be asked for again. */
  unidentified?: true;
}

/** A part of a feed. */
export interface SourcePage {
  invoices: SourceInvoice[];
  problems: SourceProblem[];
  /** Where the next part begins; the feed ends here without it. */
  next?: string;
}

/** A list that a sync reads. */
export interface Feed {
  name: string;
  /** It shows what is unsettled, however old: of no use where nothing unsettled is left to be looked for. */
  unsettled?: true;
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

/** A system that issues invoices. All of it may throw {@link SourceError}; the signal ends the request under way. */
export interface BillingSource {
  readonly name: BillingSourceName;

  /** Syncs that one worker runs at a time: of accounts that are well, and of those that failed last time. */
  readonly concurrency: { well: number; failing: number };

  /**
   * What a sync reads, in this order: what is new or changed since, and what is unsettled at present. An unsettled
   * invoice of ours that is in none of them has been settled meanwhile, and is asked for by itself.
   */
  feeds(since: Date | undefined): readonly Feed[];

  /** Reads a part of a feed. @throws LostPositionError if the position is gone and the feed must start over */
  readPage(request: FeedRequest, signal: AbortSignal): Promise<SourcePage>;

  /** Reads one document; nothing if the source has it no more. */
  readOne(account: string, sourceId: string, signal: AbortSignal): Promise<SourceInvoice | SourceProblem | undefined>;

  /** The whole PDF of a document; nothing if the source has none, or the document is another customer's now. */
  fetchPdf(account: string, sourceId: string, signal: AbortSignal): Promise<Buffer | undefined>;
}

/** Tells an item that could not be read from one that could. */
export function isProblem(item: SourceInvoice | SourceProblem): item is SourceProblem {
  return 'detail' in item;
}
