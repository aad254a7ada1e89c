import type Stripe from 'stripe' with { 'resolution-mode': 'import' };
import { parseRetryAfter, type UpstreamClient } from '@platform/upstream';
import type { BillingCalendar } from '@platform/time';
import {
  asSourceError,
  type BillingSource,
  BrokenFeedError,
  CREDIT_NOTE,
  type Feed,
  type FeedRequest,
  isRefusal,
  LostPositionError,
  SourceError,
  type SourceInvoice,
  type SourcePage,
  type SourceProblem,
} from '../../ports/billing-source.port';
import { readItems } from '../source-documents';
import { readStripeCreditNote, readStripeInvoice } from './stripe-documents';
import { type StripeCallContext, stripeFailure, StripeHttpClient } from './stripe-http-client';

/** Where links to Stripe's PDFs may lead. */
interface StripeLinkSettings {
  /** Base address of the API: its origin is allowed, because the sandbox serves files there. */
  url: string;
  /** Host names; their subdomains count as well. */
  pdfHosts: readonly string[];
}

/** Address and key of Stripe. */
export interface StripeSettings extends StripeLinkSettings {
  secretKey: string;
}

/** Clients of Stripe's API and of its files. */
interface StripeClients {
  api: UpstreamClient;
  files: UpstreamClient;
}

/** Clocks differ, and a new invoice may appear in the list a moment late. */
const OVERLAP_SECONDS = 3600;
const PAGE_SIZE = 100;
/** Drafts and uncollectible invoices may still change their status. */
const UNSETTLED = ['draft', 'open', 'uncollectible'] as const;

/** The feed of credit notes. */
const CREDIT_NOTES = 'credit-notes';

/** The fields of a list page that are used. */
interface Page {
  data: unknown;
  has_more: unknown;
}

/** The SDK's client, and the class of its errors. */
interface LoadedSdk {
  stripe: Stripe;
  StripeError: typeof Stripe.errors.StripeError;
}

/** Stripe, through its official SDK. */
export class StripeAdapter implements BillingSource {
  readonly name = 'stripe';
  readonly concurrency = { well: 6, failing: 3 };
  readonly unsettled = UNSETTLED;
  private readonly http: StripeHttpClient;
  private loading?: Promise<LoadedSdk>;

  constructor(
    private readonly settings: StripeSettings,
    private readonly clients: StripeClients,
    private readonly calendar: BillingCalendar,
  ) {
    this.http = new StripeHttpClient(clients.api);
  }

  /** Loads the SDK, as the first call does otherwise: with it, every start of a program would take a fourteenth longer. */
  load(): Promise<LoadedSdk> {
    return (this.loading ??= import('stripe').then(({ default: Sdk }) => {
      const { hostname, port, protocol } = new URL(this.settings.url);
      const stripe = new Sdk(this.settings.secretKey, {
        host: hostname,
        port: port || (protocol === 'https:' ? 443 : 80),
        protocol: protocol === 'https:' ? 'https' : 'http',
        httpClient: this.http,
        // Our own client does the retries.
        maxNetworkRetries: 0,
        telemetry: false,
      });
      return { stripe, StripeError: Sdk.errors.StripeError };
    }));
  }

  feeds(since: Date | undefined): readonly Feed[] {
    const unsettled = UNSETTLED.map((name): Feed => ({ name, unsettled: true }));
    return [{ name: 'created' }, ...(since ? unsettled : []), { name: CREDIT_NOTES }];
  }

  async readPage(request: FeedRequest, signal: AbortSignal): Promise<SourcePage> {
    const isNotes = request.feed === CREDIT_NOTES;
    const call = { operation: isNotes ? 'credit_notes.list' : 'invoices.list', onBehalfOf: request.account, signal };
    const { data, has_more } = await this.call(call, ({ stripe }) =>
      isNotes ? this.creditNotes(stripe, request) : this.invoices(stripe, request),
    );
    if (!Array.isArray(data) || typeof has_more !== 'boolean')
      throw new SourceError('stripe sent something that is not a list');
    const read = isNotes ? readStripeCreditNote : readStripeInvoice;
    const items = readItems(data as unknown[], (item) => read(item, request.account, this.calendar));
    if (!has_more) return items;
    const last = (data.at(-1) as { id?: unknown } | null | undefined)?.id;
    if (typeof last !== 'string' || last === '')
      throw new BrokenFeedError('stripe says that there are more pages, but gives no cursor');
    return { ...items, next: last };
  }

  private invoices(stripe: Stripe, { feed, account, since, position }: FeedRequest): Promise<Page> {
    const status = UNSETTLED.find((known) => known === feed);
    const created = since && !status ? { gte: Math.floor(since.getTime() / 1000) - OVERLAP_SECONDS } : undefined;
    return stripe.invoices.list({
      customer: account,
      limit: PAGE_SIZE,
      ...(status && { status }),
      ...(created && { created }),
      ...(position !== undefined && { starting_after: position }),
    });
  }

  /**
   * Reads all of them every time: an old one may have been voided since, the list has no filter for that, and there are
   * few.
   */
  private creditNotes(stripe: Stripe, { account, position }: FeedRequest): Promise<Page> {
    return stripe.creditNotes.list({
      customer: account,
      limit: PAGE_SIZE,
      ...(position !== undefined && { starting_after: position }),
    });
  }

  async readOne(
    account: string,
    sourceId: string,
    signal: AbortSignal,
  ): Promise<SourceInvoice | SourceProblem | undefined> {
    const document = await this.document(account, sourceId, signal);
    if (document === undefined) return undefined;
    const read = noteIdOf(sourceId) === undefined ? readStripeInvoice : readStripeCreditNote;
    return read(document, account, this.calendar);
  }

  async fetchPdf(account: string, sourceId: string, signal: AbortSignal): Promise<Buffer | undefined> {
    // The link in a document may have expired, a new one has not: then the document is requested again, once.
    for (let attempt = 1; ; attempt++) {
      const document = await this.document(account, sourceId, signal);
      if (!document || ownerOf(document) !== account) return undefined;
      const link = 'invoice_pdf' in document ? document.invoice_pdf : (document as Stripe.CreditNote).pdf;
      if (!link) return undefined;
      const reply = await this.file(link, account, signal);
      if (reply.ok) return reply.body;
      if (![403, 404, 410].includes(reply.status) || attempt > 1) throw asSourceError(reply.refused());
    }
  }

  private async file(link: string, account: string, signal: AbortSignal) {
    const url = URL.parse(link);
    if (!url || !isStripeLink(url, this.settings))
      throw new SourceError('The PDF link of Stripe does not lead to Stripe');
    try {
      // The link needs no credential: the key is not sent.
      const request = { operation: 'files.get', method: 'GET', url, signal, onBehalfOf: account } as const;
      return await this.clients.files.call({ ...request, retry: 'idempotent' }, (reply) => reply);
    } catch (error) {
      throw asSourceError(error);
    }
  }

  /** A document; undefined if Stripe has none. */
  private async document(
    account: string,
    sourceId: string,
    signal: AbortSignal,
  ): Promise<Stripe.Invoice | Stripe.CreditNote | undefined> {
    const noteId = noteIdOf(sourceId);
    const call = { operation: noteId === undefined ? 'invoices.get' : 'credit_notes.get', onBehalfOf: account, signal };
    return this.call(call, async ({ stripe, StripeError }) => {
      try {
        return noteId === undefined
          ? await stripe.invoices.retrieve(sourceId)
          : await stripe.creditNotes.retrieve(noteId);
      } catch (error) {
        if (error instanceof StripeError && isMissing(error)) return undefined;
        throw error;
      }
    });
  }

  private async call<T>(
    context: Pick<StripeCallContext, 'operation' | 'onBehalfOf' | 'signal'>,
    work: (sdk: LoadedSdk) => Promise<T>,
  ): Promise<T> {
    const sdk = await this.load();
    try {
      return await this.http.with({ ...context, retry: 'idempotent' }, () => work(sdk));
    } catch (error) {
      throw sourceErrorOf(error, sdk);
    }
  }
}

/** Stripe's id of a credit note; undefined for an invoice. */
function noteIdOf(sourceId: string): string | undefined {
  return sourceId.startsWith(CREDIT_NOTE) ? sourceId.slice(CREDIT_NOTE.length) : undefined;
}

function ownerOf({ customer }: Stripe.Invoice | Stripe.CreditNote): string | undefined {
  return typeof customer === 'string' ? customer : customer?.id;
}

/**
 * Whether a link or redirect from Stripe leads to Stripe: by HTTPS to one of its hosts. A link is untrusted data:
 * without this check the service could be made to fetch any address, in its own network too.
 */
export function isStripeLink(link: URL, { url, pdfHosts }: StripeLinkSettings): boolean {
  if (link.origin === new URL(url).origin) return true;
  if (link.protocol !== 'https:' || link.port !== '' || link.username !== '' || link.password !== '') return false;
  return pdfHosts.some((host) => link.hostname === host || link.hostname.endsWith(`.${host}`));
}

/** Converts an error of Stripe's SDK: keeps Stripe's code, never its text, which may repeat the request. */
function sourceErrorOf(error: unknown, { StripeError }: LoadedSdk): unknown {
  const failure = stripeFailure(error);
  if (failure) return asSourceError(failure);
  if (!(error instanceof StripeError)) return asSourceError(error);
  if (isMissing(error) && error.param === 'starting_after') return new LostPositionError();
  const status = error.statusCode === undefined ? 'something that is no reply of its own' : String(error.statusCode);
  const code = [error.code, error.rawType].find((known) => known !== undefined && /^[a-z0-9_]{1,64}$/.test(known));
  const message = `stripe answered ${status}${code === undefined ? '' : ` (${code})`}`;
  const retryAfterMs = parseRetryAfter(error.headers?.['retry-after']);
  return new SourceError(message, retryAfterMs, isRefusal(error.statusCode, retryAfterMs));
}

/** Whether Stripe has no such document. */
function isMissing({ code }: Stripe.errors.StripeError): boolean {
  return code === 'resource_missing';
}
