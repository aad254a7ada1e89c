import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AppConfig } from '@platform/config';
import { DoctorService, failed, off, type Outcome, tryCredentials } from '@platform/maintenance';
import { fikenSettings, stripeSettings } from '../adapters/source-settings';

const IN_SANDBOX = off('the sandbox has its invoices');
const NOT_SYNCED = off('no credentials: its invoices are not synced');

/** Checks whether the billing sources take their credentials. */
@Injectable()
export class BillingSourcesCheckOperatorService implements OnModuleInit {
  constructor(
    private readonly config: AppConfig,
    private readonly doctor: DoctorService,
  ) {}

  onModuleInit(): void {
    this.doctor.register({ section: 'billing', check: 'Stripe', look: () => this.stripe() });
    this.doctor.register({ section: 'billing', check: 'Fiken', look: () => this.fiken() });
  }

  private async stripe(): Promise<Outcome> {
    const settings = stripeSettings(this.config);
    if (!settings) return NOT_SYNCED;
    if (settings.inSandbox) return IN_SANDBOX;
    // Stripe's SDK knows a server, not a path on it.
    const { href } = new URL('/v1/invoices?limit=1', settings.url);
    return tryCredentials(href, { authorization: `Bearer ${settings.secretKey}` });
  }

  private async fiken(): Promise<Outcome> {
    const settings = fikenSettings(this.config);
    if (!settings) return NOT_SYNCED;
    if (settings.inSandbox) return IN_SANDBOX;
    const { url, token, company } = settings;
    if (company === '') return failed('FIKEN_COMPANY is missing: its invoices cannot be synced');
    return tryCredentials(`${url}/companies/${encodeURIComponent(company)}`, { authorization: `Bearer ${token}` });
  }
}
