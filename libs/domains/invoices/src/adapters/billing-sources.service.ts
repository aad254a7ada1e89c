import { Injectable } from '@nestjs/common';
import { AppConfig } from '@platform/config';
import { UpstreamClientsService } from '@platform/upstream';
import { BillingCalendar } from '@platform/time';
import type { BillingSourceName } from '../invoice-record';
import type { BillingSource } from '../ports/billing-source.port';
import { FikenLaneService } from './fiken/fiken-lane.service';
import { FikenAdapter, LARGEST_PDF } from './fiken/fiken.adapter';
import { isStripeLink } from './stripe/stripe-links';
import { StripeAdapter } from './stripe/stripe.adapter';

/** The sandbox accepts any credential. */
const SANDBOX_CREDENTIAL = 'sandbox';
const SANDBOX_COMPANY = 'demo';
/** Upper bound of a page of a hundred documents. */
const LARGEST_PAGE = 8 * 1024 * 1024;

/** The configured sources: the real ones with their credentials, else the sandbox's, else none. */
@Injectable()
export class BillingSourcesService {
  private readonly sources: ReadonlyMap<BillingSourceName, BillingSource>;
  private readonly calendar: BillingCalendar;

  constructor(
    private readonly config: AppConfig,
    private readonly clients: UpstreamClientsService,
    private readonly lane: FikenLaneService,
  ) {
    this.calendar = new BillingCalendar(config);
    const sandbox = config.SANDBOX_URL?.replace(/\/$/, '');
    const sources: BillingSource[] = [];
    if (config.STRIPE_SECRET_KEY !== undefined) sources.push(this.stripe(config.STRIPE_URL, config.STRIPE_SECRET_KEY));
    else if (sandbox !== undefined) sources.push(this.stripe(sandbox, SANDBOX_CREDENTIAL));
    if (config.FIKEN_TOKEN !== undefined) {
      sources.push(this.fiken(config.FIKEN_URL, config.FIKEN_TOKEN, config.FIKEN_COMPANY));
    } else if (sandbox !== undefined) {
      sources.push(this.fiken(`${sandbox}/fiken/api/v2`, SANDBOX_CREDENTIAL, config.FIKEN_COMPANY || SANDBOX_COMPANY));
    }
    this.sources = new Map(sources.map((source) => [source.name, source]));
  }

  /** The source of that name; undefined if it is not configured. */
  find(name: BillingSourceName): BillingSource | undefined {
    return this.sources.get(name);
  }

  /** All configured sources. */
  all(): BillingSource[] {
    return [...this.sources.values()];
  }

  private stripe(url: string, secretKey: string): BillingSource {
    const { origin } = new URL(url);
    const links = { url, pdfHosts: this.config.STRIPE_PDF_HOSTS };
    const api = this.open('stripe', origin, { concurrency: 16, maxReplyBytes: LARGEST_PAGE });
    const files = this.open('stripe-files', origin, {
      concurrency: 16,
      maxReplyBytes: LARGEST_PDF,
      redirects: { most: 3, allowed: (_, to) => isStripeLink(to, links) },
    });
    return new StripeAdapter({ ...links, secretKey }, { api, files }, this.calendar);
  }

  private fiken(url: string, token: string, company: string): BillingSource {
    const client = this.open('fiken', url, { concurrency: 1, maxReplyBytes: LARGEST_PAGE });
    return new FikenAdapter({ url, token, company }, client, this.lane, this.calendar);
  }

  private open(
    name: string,
    baseUrl: string,
    options: Pick<Parameters<UpstreamClientsService['open']>[0], 'concurrency' | 'maxReplyBytes' | 'redirects'>,
  ) {
    const timeoutMs = this.config.BILLING_TIMEOUT_MS;
    return this.clients.open({
      name,
      baseUrl,
      queue: 200,
      slowAfterMs: Math.min(timeoutMs, 10_000),
      timeoutMs,
      retries: 2,
      retryPauseMs: 500,
      ...options,
    });
  }
}
