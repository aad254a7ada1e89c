import { UpstreamCallError, type UpstreamFailureReason } from '@platform/upstream';
import type { BillingSourceName, InvoiceStatus, InvoiceType } from '../invoice-values';

/** An invoice or credit note of a source, in the terms of this domain. */
export interface SourceInvoice {
  /** Unique among the source's documents; never changes. */
  sourceId: string;
  type: InvoiceType;
  number: string;
  status: InvoiceStatus;
  /** ISO 4217, upper case. */
  currency: string;
  /** Minor units, never negative; of a credit note the credited amount. */
  amount: bigint;
  /** Minor units, never negative. */
  amountDue: bigint;
  /** `YYYY-MM-DD`. */
  issueDate: string;
  dueDate: string | null;
  paidAt: Date | null;
  kid: string | null;
  /** The name under which {@link BillingSource.fetchPdf} finds the PDF; null if there is none. */
  pdfReference: string | null;
  hostedUrl: string | null;
  /** When it was issued; for a draft, when it was created. */
  createdAt: Date;
}

/** Prefix of the ids of credit notes: sources count them separately from invoices. */
export const CREDIT_NOTE = 'credit-note:';

/** Id of a document without an id, behind {@link CREDIT_NOTE} for a credit note: it cannot be requested again. */
export const UNIDENTIFIED = 'without an id';

/** Bytes of a PDF that is read at most, of any source. */
export const LARGEST_PDF = 16 * 1024 * 1024;

/** An item that could not be read, and why. */
export interface SourceProblem {
  sourceId: string;
  detail: string;
  /** It belongs to another customer: a copy stored for this one must be deleted. */
  foreign?: true;
  /** It has no id, so it cannot be requested again. */
  unidentified?: true;
}

/** A page of a feed. */
export interface SourcePage {
  invoices: SourceInvoice[];
  problems: SourceProblem[];
  /** Position of the next page; undefined on the last one. */
  next?: string;
}

/** A list that a sync reads. */
export interface Feed {
  name: string;
  /** It lists unsettled documents, however old, and none that was settled before: not needed when none are left to look for. */
  unsettled?: true;
}

/** A request for a page of a feed. */
export interface FeedRequest {
  feed: string;
  /** The customer's id in the source. */
  account: string;
  /** When the last complete sync began; undefined for the first sync, which reads everything. */
  since?: Date;
  /** Position of the page; undefined for the first one. */
  position?: string;
}

/**
 * A system that issues invoices. Every method may throw {@link SourceError}; the signal aborts the request in progress.
 */
export interface BillingSource {
  readonly name: BillingSourceName;

  /** The company whose documents it reads, if the same credential may read several companies. */
  readonly company?: string;

  /** Syncs that one worker runs at a time: of accounts without failures, and of those that failed last time. */
  readonly concurrency: { well: number; failing: number };

  /** Statuses of the documents that its feeds of unsettled documents list. */
  readonly unsettled: readonly InvoiceStatus[];

  /**
   * The feeds that a sync reads, in this order: new or changed documents, and those that are unsettled at present. A
   * stored unsettled document that is in none of them has been settled meanwhile, and is requested by itself.
   */
  feeds(since: Date | undefined): readonly Feed[];

  /** Reads a page of a feed. @throws LostPositionError if the position is gone and the feed must start over */
  readPage(request: FeedRequest, signal: AbortSignal): Promise<SourcePage>;

  /** Reads one document; undefined if the source no longer has it. @throws SourceError `refused` if that may be its own fault */
  readOne(account: string, sourceId: string, signal: AbortSignal): Promise<SourceInvoice | SourceProblem | undefined>;

  /** The whole PDF of a document; undefined if the source has none, or the document belongs to another customer now. */
  fetchPdf(account: string, sourceId: string, signal: AbortSignal): Promise<Buffer | undefined>;
}

/** Whether an item could not be read. */
export function isProblem(item: SourceInvoice | SourceProblem): item is SourceProblem {
  return 'detail' in item;
}

/** A source could not be read. The message is for the operator and contains no text of the source. */
export class SourceError extends Error {
  /**
   * @param retryAfterMs how long the source asked to wait, an hour at most @param refused whether it answered, and not about the
   * credential or the number of requests: it may answer others, and what was asked for alone be at fault
   */
  constructor(
    message: string,
    readonly retryAfterMs?: number,
    readonly refused = false,
  ) {
    super(message);
  }
}

/** A list is inconsistent: it repeats itself, or says that there are more items and returns none. */
export class BrokenFeedError extends SourceError {}

/** The position where a feed was to go on is gone. */
export class LostPositionError extends Error {}

/** Failures of calls that were answered. */
const ANSWERED: readonly UpstreamFailureReason[] = ['status', 'not_json', 'unexpected', 'too_large'];
/** Statuses that concern all requests: the credential is none, or there are too many. */
const OF_ALL: readonly (number | undefined)[] = [401, 429];

/** Whether a reply may be about what was asked for alone. One that asks to wait is not. */
export function isRefusal(status: number | undefined, retryAfterMs: number | undefined): boolean {
  return retryAfterMs === undefined && !OF_ALL.includes(status);
}

/** Converts a failed upstream call; other errors are returned unchanged. */
export function asSourceError(error: unknown): unknown {
  if (!(error instanceof UpstreamCallError)) return error;
  const { message, reason, status, retryAfterMs } = error;
  return new SourceError(message, retryAfterMs, ANSWERED.includes(reason) && isRefusal(status, retryAfterMs));
}

/**
 * Another company than an account's has neither the account nor its documents: what it has with their ids is not the customer's.
 * @throws SourceError
 */
export function requireSameCompany(
  { name, company }: Pick<BillingSource, 'name' | 'company'>,
  accounts: string | undefined,
): void {
  if (accounts === company) return;
  throw new SourceError(
    `The account is one of the company ${accounts} in ${name}, and ${company} is configured now: set it back, or unlink the customer`,
  );
}
