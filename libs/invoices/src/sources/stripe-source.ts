import Stripe from 'stripe';
import { type Dispatcher, request } from 'undici';
import { foreignId, foreignText, type SecretRedactor } from '@app/secrets';
import type { Calendar } from '../calendar';
import {
  type BillingSource,
  CREDIT_NOTE,
  type FeedRequest,
  type SourceFile,
  type SourceInvoice,
  type SourcePage,
  type SourceProblem,
} from './billing-source';
import { lengthOf } from './content-length';
import { readItems } from './read-items';
import { LostPositionError, retryAfterMs, SourceError } from './source-error';
import { readStripeCreditNote } from './stripe-credit-note';
import { readStripeInvoice } from './stripe-invoice';
import { isStripeLink, type StripeLinkSettings } from './stripe-links';

/** Where Stripe is and with which key. */
export interface StripeSettings extends StripeLinkSettings {
  secretKey: string;
  timeoutMs: number;
}

/** Clocks differ and a new invoice may show up in the list a moment late. */
const OVERLAP_SECONDS = 3600;
const PAGE_SIZE = 100;
const MOST_REDIRECTS = 3;
/** Drafts and uncollectible invoices may still become something else. */
const UNSETTLED = ['draft', 'open', 'uncollectible'] as const;

/** The feed of credit notes. */
const CREDIT_NOTES = 'credit-notes';

/** A page of a list, as far as a sync looks at it. */
interface Page {
  data: { id: string }[];
  has_more: boolean;
}

/** Stripe, through its official SDK. */
export class StripeSource implements BillingSource {
  readonly name = 'stripe';
  readonly concurrency = 4;
  private readonly stripe: Stripe;

  constructor(
    private readonly settings: StripeSettings,
    private readonly calendar: Calendar,
    private readonly redactor: SecretRedactor,
  ) {
    const { hostname, port, protocol } = new URL(settings.url);
    this.stripe = new Stripe(settings.secretKey, {
      host: hostname,
      port: port || (protocol === 'https:' ? 443 : 80),
      protocol: protocol === 'https:' ? 'https' : 'http',
      timeout: settings.timeoutMs,
      // The sync has its own rules for trying again.
      maxNetworkRetries: 0,
      telemetry: false,
    });
  }

  feeds(since: Date | undefined): readonly string[] {
    return since ? ['created', ...UNSETTLED, CREDIT_NOTES] : ['created', CREDIT_NOTES];
  }

  async readPage(request: FeedRequest): Promise<SourcePage> {
    const isNotes = request.feed === CREDIT_NOTES;
    const { data, has_more } = await this.call(() => (isNotes ? this.creditNotes(request) : this.invoices(request)));
    if (!Array.isArray(data)) throw new SourceError('Stripe sent something that is not a list', true);
    const read = isNotes ? readStripeCreditNote : readStripeInvoice;
    const items = readItems(data, (item) => read(item, request.account, this.calendar));
    const next = has_more ? data.at(-1)?.id : undefined;
    return { ...items, ...(next !== undefined && { next }) };
  }

  private invoices({ feed, account, since, position }: FeedRequest): Promise<Page> {
    const status = UNSETTLED.find((known) => known === feed);
    const created = since && !status ? { gte: Math.floor(since.getTime() / 1000) - OVERLAP_SECONDS } : undefined;
    return this.stripe.invoices.list({
      customer: account,
      limit: PAGE_SIZE,
      ...(status && { status }),
      ...(created && { created }),
      ...(position !== undefined && { starting_after: position }),
    });
  }

  /** All of them, every time: an old one may have been voided since, the list has no filter for that, and they are few. */
  private creditNotes({ account, position }: FeedRequest): Promise<Page> {
    return this.stripe.creditNotes.list({
      customer: account,
      limit: PAGE_SIZE,
      ...(position !== undefined && { starting_after: position }),
    });
  }

  async readOne(account: string, sourceId: string): Promise<SourceInvoice | SourceProblem | undefined> {
    const noteId = noteIdOf(sourceId);
    if (noteId !== undefined) {
      const note = await this.found(() => this.stripe.creditNotes.retrieve(noteId));
      return note && readStripeCreditNote(note, account, this.calendar);
    }
    const invoice = await this.found(() => this.stripe.invoices.retrieve(sourceId));
    return invoice && readStripeInvoice(invoice, account, this.calendar);
  }

  async openPdf(sourceId: string): Promise<SourceFile | undefined> {
    const link = await this.pdfLink(sourceId);
    if (!link) return undefined;
    try {
      const reply = await this.follow(new URL(link));
      if (reply.statusCode === 200) return { content: reply.body, ...lengthOf(reply.headers['content-length']) };
      await reply.body.dump();
      throw new SourceError(`The PDF link of Stripe answered ${reply.statusCode}`, true);
    } catch (error) {
      throw error instanceof SourceError
        ? error
        : new SourceError('The PDF link of Stripe did not answer', true, undefined, error);
    }
  }

  /** The link is all it takes: the key stays here. */
  private async follow(link: URL, hops = 0): Promise<Dispatcher.ResponseData> {
    if (hops > MOST_REDIRECTS || !isStripeLink(link, this.settings)) {
      throw new SourceError(
        `The PDF link of Stripe leads to ${foreignText(this.redactor, link.host) ?? 'nowhere'}`,
        false,
      );
    }
    const reply = await request(link, { headersTimeout: this.settings.timeoutMs });
    const location = [reply.headers.location].flat()[0];
    const next = reply.statusCode >= 300 && reply.statusCode < 400 && location ? URL.parse(location, link.href) : null;
    if (!next) return reply;
    await reply.body.dump();
    return this.follow(next, hops + 1);
  }

  /** A fresh link, since the one that came with the document may have expired. */
  private async pdfLink(sourceId: string): Promise<string | null | undefined> {
    const noteId = noteIdOf(sourceId);
    if (noteId !== undefined) return (await this.found(() => this.stripe.creditNotes.retrieve(noteId)))?.pdf;
    return (await this.found(() => this.stripe.invoices.retrieve(sourceId)))?.invoice_pdf;
  }

  private async found<T>(retrieve: () => Promise<T>): Promise<T | undefined> {
    try {
      return await retrieve();
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw toSourceError(error, this.redactor);
    }
  }

  private async call<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw toSourceError(error, this.redactor);
    }
  }
}

/** What went wrong, for the log: Stripe's own words without secrets, and bounded. */
function toSourceError(error: unknown, redactor: SecretRedactor): Error {
  const cause = Error.isError(error) ? new Error(foreignText(redactor, error.message)) : undefined;
  if (!(error instanceof Stripe.errors.StripeError)) {
    return new SourceError('Stripe sent something that is not its own format', true, undefined, cause);
  }
  if (isMissing(error) && error.param === 'starting_after') return new LostPositionError();
  const { statusCode } = error;
  const passing = statusCode === undefined || statusCode === 429 || statusCode === 409 || statusCode >= 500;
  const told =
    statusCode === undefined
      ? 'Stripe did not answer'
      : `Stripe answered ${statusCode} (${foreignId(redactor, error.code ?? error.rawType) ?? 'no code'})`;
  return new SourceError(told, passing, retryAfterMs(error.headers?.['retry-after']), cause);
}

/** Stripe's id of a credit note; nothing for an invoice. */
function noteIdOf(sourceId: string): string | undefined {
  return sourceId.startsWith(CREDIT_NOTE) ? sourceId.slice(CREDIT_NOTE.length) : undefined;
}

function isMissing(error: unknown): error is Stripe.errors.StripeError {
  return error instanceof Stripe.errors.StripeError && error.code === 'resource_missing';
}
