import { type Dispatcher, Pool } from 'undici';
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
import { fikenPdfLink, readFikenCreditNote, readFikenInvoice } from './fiken-document';
import { readItems } from './read-items';
import { retryAfterMs, SourceError } from './source-error';

/** Where Fiken is, whose books, and with which token. */
export interface FikenSettings {
  url: string;
  token: string;
  /** Slug of the company that issues the invoices. */
  company: string;
  timeoutMs: number;
}

const PAGE_SIZE = 100;
const DAY_MS = 86_400_000;

/** The lists of Fiken that a sync reads, with what they are asked for. */
const FEEDS: Record<string, { list: string; read: typeof readFikenInvoice; unsettled?: true }> = {
  invoices: { list: 'invoices', read: readFikenInvoice },
  'credit-notes': { list: 'creditNotes', read: readFikenCreditNote },
  unsettled: { list: 'invoices', read: readFikenInvoice, unsettled: true },
};

/** Fiken, API version 2. It lists documents oldest first and tells changes by the day. */
export class FikenSource implements BillingSource {
  readonly name = 'fiken';
  /** Fiken answers one request at a time. */
  readonly concurrency = 1;
  private readonly pool: Pool;
  private readonly origin: string;
  private readonly basePath: string;

  constructor(
    private readonly settings: FikenSettings,
    private readonly calendar: Calendar,
  ) {
    const { origin, pathname } = new URL(settings.url);
    this.origin = origin;
    this.basePath = pathname.replace(/\/$/, '');
    const { timeoutMs } = settings;
    this.pool = new Pool(origin, { connections: 2, headersTimeout: timeoutMs, bodyTimeout: timeoutMs });
  }

  feeds(since: Date | undefined): readonly string[] {
    // Whether a payment counts as a change of the invoice is not documented, so the unsettled ones are always looked at.
    return since ? ['invoices', 'credit-notes', 'unsettled'] : ['invoices', 'credit-notes'];
  }

  async readPage({ feed, account, since, position = '0' }: FeedRequest): Promise<SourcePage> {
    const { list, read, unsettled } = FEEDS[feed] as (typeof FEEDS)[string];
    const query = new URLSearchParams({ page: position, pageSize: String(PAGE_SIZE), customerId: account });
    if (unsettled) query.set('settled', 'false');
    // A day before: changes are told by the day, and days end at different times for us and for them.
    else if (since) query.set('lastModifiedGe', this.calendar.dateOf(new Date(since.getTime() - DAY_MS)));
    const { items, pageCount } = await this.getList(`${list}?${query.toString()}`);
    const page = readItems(items, (item) => read(item, account));
    const next = Number(position) + 1;
    return { ...page, ...(next < pageCount && { next: String(next) }) };
  }

  async readOne(account: string, sourceId: string): Promise<SourceInvoice | SourceProblem | undefined> {
    const item = await this.document(sourceId);
    if (item === undefined) return undefined;
    return sourceId.startsWith(CREDIT_NOTE) ? readFikenCreditNote(item, account) : readFikenInvoice(item, account);
  }

  async openPdf(sourceId: string, pdfReference: string): Promise<SourceFile | undefined> {
    // The token goes to Fiken and to nobody else, wherever a link points. A link from before Fiken's address changed leads
    // elsewhere too: then the document's present one is asked for.
    const path = this.pathAtFiken(pdfReference) ?? this.pathAtFiken(fikenPdfLink(await this.document(sourceId)));
    if (path === undefined) throw new SourceError('The PDF link does not lead to Fiken', false);
    const reply = await this.get(path);
    if (reply.statusCode === 404) return discard(reply);
    const { body, headers } = await this.accept(reply);
    return { content: body, ...lengthOf(headers['content-length']) };
  }

  private pathAtFiken(link: string | undefined): string | undefined {
    const url = link === undefined ? null : URL.parse(link);
    return url?.origin === this.origin ? url.pathname + url.search : undefined;
  }

  /** A document as Fiken sends it; nothing if there is none. */
  private async document(sourceId: string): Promise<unknown> {
    const isNote = sourceId.startsWith(CREDIT_NOTE);
    const path = isNote ? `creditNotes/${sourceId.slice(CREDIT_NOTE.length)}` : `invoices/${sourceId}`;
    const reply = await this.get(`${this.basePath}/companies/${this.settings.company}/${path}`);
    return reply.statusCode === 404 ? discard(reply) : readJson(await this.accept(reply));
  }

  private async getList(path: string): Promise<{ items: unknown[]; pageCount: number }> {
    const reply = await this.accept(await this.get(`${this.basePath}/companies/${this.settings.company}/${path}`));
    const items = await readJson(reply);
    if (!Array.isArray(items)) throw new SourceError('Fiken sent something that is not a list', true);
    const pageCount = Number([reply.headers['fiken-api-page-count']].flat()[0] ?? NaN);
    if (!Number.isSafeInteger(pageCount)) throw new SourceError('Fiken did not say how many pages there are', true);
    return { items: items as unknown[], pageCount };
  }

  private async get(path: string): Promise<Dispatcher.ResponseData> {
    const headers = { authorization: `Bearer ${this.settings.token}` };
    try {
      return await this.pool.request({ method: 'GET', path, headers });
    } catch (error) {
      throw new SourceError('Fiken did not answer', true, undefined, error);
    }
  }

  private async accept(reply: Dispatcher.ResponseData): Promise<Dispatcher.ResponseData> {
    const { statusCode, headers, body } = reply;
    if (statusCode === 200) return reply;
    await body.dump();
    const passing = statusCode === 429 || statusCode >= 500;
    throw new SourceError(`Fiken answered ${statusCode}`, passing, retryAfterMs(headers['retry-after']));
  }
}

/** Reads a reply to its end for nothing, so that its connection can be used again. */
async function discard({ body }: Dispatcher.ResponseData): Promise<undefined> {
  await body.dump();
  return undefined;
}

async function readJson({ body }: Dispatcher.ResponseData): Promise<unknown> {
  try {
    return await body.json();
  } catch (error) {
    throw new SourceError('Fiken sent something that is not JSON', true, undefined, error);
  }
}
