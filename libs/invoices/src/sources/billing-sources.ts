import { Injectable } from '@nestjs/common';
import { AppConfig } from '@app/config';
import { SecretRedactor } from '@app/secrets';
import { Calendar } from '../calendar';
import type { BillingSourceName } from '../invoice-record';
import type { BillingSource } from './billing-source';
import { FikenSource } from './fiken-source';
import { StripeSource } from './stripe-source';

/** Any credential does for the sandbox. */
const SANDBOX_CREDENTIAL = 'sandbox';
const SANDBOX_COMPANY = 'demo';

/** The sources that are configured: the real ones with their credentials, else the sandbox's, else none. */
@Injectable()
export class BillingSources {
  private readonly sources: ReadonlyMap<BillingSourceName, BillingSource>;

  constructor(config: AppConfig) {
    const calendar = new Calendar(config.BILLING_TIMEZONE);
    const timeoutMs = config.BILLING_TIMEOUT_MS;
    const sandbox = config.SANDBOX_URL?.replace(/\/$/, '');
    const sources: BillingSource[] = [];
    const redactor = SecretRedactor.of(config);
    const pdfHosts = config.STRIPE_PDF_HOSTS;
    const { STRIPE_SECRET_KEY: secretKey } = config;
    if (secretKey !== undefined) {
      sources.push(new StripeSource({ url: config.STRIPE_URL, secretKey, timeoutMs, pdfHosts }, calendar, redactor));
    } else if (sandbox !== undefined) {
      const settings = { url: sandbox, secretKey: SANDBOX_CREDENTIAL, timeoutMs, pdfHosts };
      sources.push(new StripeSource(settings, calendar, redactor));
    }
    if (config.FIKEN_TOKEN !== undefined) {
      const { FIKEN_URL: url, FIKEN_TOKEN: token, FIKEN_COMPANY: company } = config;
      sources.push(new FikenSource({ url, token, company, timeoutMs }, calendar));
    } else if (sandbox !== undefined) {
      const company = config.FIKEN_COMPANY || SANDBOX_COMPANY;
      sources.push(
        new FikenSource({ url: `${sandbox}/fiken/api/v2`, token: SANDBOX_CREDENTIAL, company, timeoutMs }, calendar),
      );
    }
    this.sources = new Map(sources.map((source) => [source.name, source]));
  }

  /** A source, unless it is not configured. */
  find(name: BillingSourceName): BillingSource | undefined {
    return this.sources.get(name);
  }

  /** All that are configured. */
  all(): BillingSource[] {
    return [...this.sources.values()];
  }
}
