import type { UpstreamClient, UpstreamReply } from '@platform/upstream';
import type { BillingCalendar } from '@platform/time';
import {
  asSourceError,
  type BillingSource,
  BrokenFeedError,
  CREDIT_NOTE,
  type Feed,
  type FeedRequest,
  LARGEST_PDF,
  SourceError,
  type SourceInvoice,
  type SourcePage,
  type SourceProblem,
} from '../../ports/billing-source.port';
import { belongsTo, fikenPdfLink, neededCreditNotes, readFikenCreditNote, readFikenInvoice } from './fiken-documents';
import type { FikenLaneService } from './fiken-lane.service';
import { readItems } from '../source-documents';

/** Address, company and token of Fiken. */
export interface FikenSettings {
  url: string;
  token: string;
  /** Slug of the company that issues the invoices. */
  company: string;
}

const PAGE_SIZE = 100;
const DAY_MS = 86_400_000;
/** How long a PDF waits for Fiken to be free. */
const PDF_WAIT_MS = 10_000;

/** The lists of Fiken that a sync reads, with their queries. */
const FEEDS: Record<string, { list: string; read: typeof readFikenInvoice; unsettled?: true }> = {
  invoices: { list: 'invoices', read: readFikenInvoice },
  'credit-notes': { list: 'creditNotes', read: readFikenCreditNote },
  unsettled: { list: 'invoices', read: readFikenInvoice, unsettled: true },
  'unsettled-credit-notes': { list: 'creditNotes', read: readFikenCreditNote, unsettled: true },
};

/** A request to Fiken. */
interface Question {
  operation: string;
  path?: string;
  url?: URL;
  /** The customer's contact id. */
  account: string;
  signal: AbortSignal;
  maxReplyBytes?: number;
}

/** Fiken, API version 2. It lists documents oldest first, and gives the day of a change, not its time. */
export class FikenAdapter implements BillingSource {
  readonly name = 'fiken';
  readonly company: string;
  /** More than one, so that Fiken, which accepts one request at a time, is not idle while a page is stored. */
  readonly concurrency = { well: 2, failing: 1 };
  /** A written-off invoice is settled. */
  readonly unsettled = ['open'] as const;
  private readonly origin: string;

  constructor(
    private readonly settings: FikenSettings,
    private readonly client: UpstreamClient,
    private readonly lane: FikenLaneService,
    private readonly calendar: BillingCalendar,
  ) {
    this.company = settings.company;
    this.origin = new URL(settings.url).origin;
  }

  feeds(since: Date | undefined): readonly Feed[] {
    const changed = [{ name: 'invoices' }, { name: 'credit-notes' }];
    if (!since) return changed;
    // Fiken does not document whether a payment counts as a change of the invoice, nor that it is taken back: so unsettled
    // invoices are read as well, even if all were paid.
    return [...changed, { name: 'unsettled' }, { name: 'unsettled-credit-notes', unsettled: true }];
  }

  async readPage({ feed, account, since, position = '0' }: FeedRequest, signal: AbortSignal): Promise<SourcePage> {
    const { list, read, unsettled } = FEEDS[feed] as (typeof FEEDS)[string];
    const query = new URLSearchParams({ page: position, pageSize: String(PAGE_SIZE), customerId: account });
    if (unsettled) query.set('settled', 'false');
    // A day before: changes have only a day, and Fiken's days may end at another time than ours.
    else if (since) query.set('lastModifiedGe', this.calendar.dateOf(new Date(since.getTime() - DAY_MS)));
    const { items, pageCount } = await this.getList(list, query, { account, signal });
    const creditNotes = new Map<unknown, unknown[]>();
    for (const item of items) creditNotes.set(item, await this.creditNotesOf(item, account, signal));
    const page = readItems(items, (item) => read(item, account, creditNotes.get(item)));
    const next = Number(position) + 1;
    return { ...page, ...(next < pageCount && { next: String(next) }) };
  }

  async readOne(
    account: string,
    sourceId: string,
    signal: AbortSignal,
  ): Promise<SourceInvoice | SourceProblem | undefined> {
    const item = await this.lane.use('sync', { signal }, (held) => this.document(account, sourceId, held));
    if (item === undefined) return undefined;
    if (sourceId.startsWith(CREDIT_NOTE)) return readFikenCreditNote(item, account);
    return readFikenInvoice(item, account, await this.creditNotesOf(item, account, signal));
  }

  /**
   * The credit notes without which the amount due of an invoice is not known: those of few invoices. One that Fiken refuses to
   * give is missing: the invoice becomes a problem, and the others of its page are read.
   */
  private async creditNotesOf(invoice: unknown, account: string, signal: AbortSignal): Promise<unknown[]> {
    const notes: unknown[] = [];
    for (const id of neededCreditNotes(invoice)) {
      const read = (held: AbortSignal) => this.document(account, CREDIT_NOTE + String(id), held);
      const note = await this.lane.use('sync', { signal }, read).catch((error: unknown) => {
        if (error instanceof SourceError && error.refused) return undefined;
        throw error;
      });
      notes.push(note);
    }
    return notes;
  }

  fetchPdf(account: string, sourceId: string, signal: AbortSignal): Promise<Buffer | undefined> {
    return this.lane.use('pdf', { signal, waitMs: PDF_WAIT_MS }, async (held) => {
      // Reads the document first: it has its customer and the present address of its file.
      for (let attempt = 1; ; attempt++) {
        const document = await this.document(account, sourceId, held);
        const link = belongsTo(document, account) ? fikenPdfLink(document) : undefined;
        if (link === undefined) return undefined;
        const url = URL.parse(link);
        // The token is sent to Fiken only, wherever a link points.
        if (url?.origin !== this.origin) throw new SourceError('The PDF link does not lead to Fiken');
        const file = { operation: 'files.get', url, account, signal: held, maxReplyBytes: LARGEST_PDF };
        const reply = await this.ask(file, (answer) => answer);
        if (reply.ok) return reply.body;
        if (reply.status !== 404 || attempt > 1) throw asSourceError(reply.refused());
      }
    });
  }

  /** A document as Fiken returns it; undefined if there is none. */
  private document(account: string, sourceId: string, signal: AbortSignal): Promise<unknown> {
    const isNote = sourceId.startsWith(CREDIT_NOTE);
    const id = encodeURIComponent(isNote ? sourceId.slice(CREDIT_NOTE.length) : sourceId);
    const [operation, folder] = isNote ? ['creditNotes.get', 'creditNotes'] : ['invoices.get', 'invoices'];
    const path = `/companies/${encodeURIComponent(this.company)}/${folder}/${id}`;
    return this.ask({ operation, path, account, signal }, (reply) => {
      if (reply.status === 404) return undefined;
      return accepted(reply).json();
    });
  }

  private getList(
    list: string,
    query: URLSearchParams,
    { account, signal }: { account: string; signal: AbortSignal },
  ): Promise<{ items: unknown[]; pageCount: number }> {
    const path = `/companies/${encodeURIComponent(this.company)}/${list}?${query.toString()}`;
    return this.lane.use('sync', { signal }, (held) =>
      this.ask({ operation: `${list}.list`, path, account, signal: held }, (reply) => {
        const items = accepted(reply).json();
        if (!Array.isArray(items)) throw reply.unusable('unexpected', 'NOT_A_LIST');
        const count = reply.headers['fiken-api-page-count'] ?? '';
        // An empty header is an error, not a count of zero: it would end the list.
        const pageCount = /^\d{1,9}$/.test(count) ? Number(count) : undefined;
        if (pageCount === undefined) throw reply.unusable('unexpected', 'NO_PAGE_COUNT');
        const page = reply.headers['fiken-api-page'];
        if (page !== undefined && page !== query.get('page')) throw new BrokenFeedError('Fiken sent another page');
        return { items: items as unknown[], pageCount };
      }),
    );
  }

  private async ask<T>({ account, ...question }: Question, read: (reply: UpstreamReply) => T): Promise<T> {
    const headers = { authorization: `Bearer ${this.settings.token}` };
    try {
      return await this.client.call(
        { ...question, method: 'GET', headers, onBehalfOf: account, retry: 'idempotent' },
        read,
      );
    } catch (error) {
      throw asSourceError(error);
    }
  }
}

function accepted(reply: UpstreamReply): UpstreamReply {
  if (!reply.ok) throw reply.refused();
  return reply;
}
