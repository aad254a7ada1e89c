import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AppConfig } from '@platform/config';
import { UpstreamClientsService } from '@platform/upstream';
import { BillingCalendar } from '@platform/time';
import type { BillingSourceName } from '../invoice-values';
import { type BillingSource, LARGEST_PDF } from '../ports/billing-source.port';
import { FikenLaneService } from './fiken/fiken-lane.service';
import { FikenAdapter } from './fiken/fiken.adapter';
import { fikenSettings, stripeSettings } from './source-settings';
import { isStripeLink, StripeAdapter } from './stripe/stripe.adapter';

/** Upper bound of a page of a hundred documents. */
const LARGEST_PAGE = 8 * 1024 * 1024;

/** The configured sources: the real ones with their credentials, else the sandbox's, else none. */
@Injectable()
export class BillingSourcesService implements OnModuleInit {
  private readonly sources: ReadonlyMap<BillingSourceName, BillingSource>;
  private readonly calendar: BillingCalendar;
  private readonly stripe: StripeAdapter | undefined;

  constructor(
    private readonly config: AppConfig,
    private readonly clients: UpstreamClientsService,
    private readonly lane: FikenLaneService,
  ) {
    this.calendar = new BillingCalendar(config);
    this.stripe = this.openStripe();
    const sources = [this.stripe, this.openFiken()].filter((source) => source !== undefined);
    this.sources = new Map(sources.map((source) => [source.name, source]));
  }

  async onModuleInit(): Promise<void> {
    await this.stripe?.load();
  }

  /** The source of that name; undefined if it is not configured. */
  find(name: BillingSourceName): BillingSource | undefined {
    return this.sources.get(name);
  }

  /** All configured sources. */
  all(): BillingSource[] {
    return [...this.sources.values()];
  }

  private openStripe(): StripeAdapter | undefined {
    const access = stripeSettings(this.config);
    if (!access) return undefined;
    const { url, secretKey } = access;
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

  private openFiken(): BillingSource | undefined {
    const access = fikenSettings(this.config);
    if (!access) return undefined;
    const client = this.open('fiken', access.url, { concurrency: 1, maxReplyBytes: LARGEST_PAGE });
    return new FikenAdapter(access, client, this.lane, this.calendar);
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
