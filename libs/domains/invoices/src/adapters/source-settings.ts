import { type Access, type AppConfig, orSandbox, SANDBOX_CREDENTIAL } from '@platform/config';
import type { FikenSettings } from './fiken/fiken.adapter';
import type { StripeSettings } from './stripe/stripe.adapter';

const SANDBOX_COMPANY = 'demo';

/** How Stripe is reached: with its key; else in the sandbox; undefined if its invoices are not synced. */
export function stripeSettings(config: AppConfig): Access<Omit<StripeSettings, 'pdfHosts'>> | undefined {
  const { STRIPE_URL: url, STRIPE_SECRET_KEY: secretKey } = config;
  const configured = secretKey === undefined ? undefined : { url, secretKey };
  return orSandbox(configured, config, (sandbox) => ({ url: sandbox, secretKey: SANDBOX_CREDENTIAL }));
}

/** How Fiken is reached: with its token; else in the sandbox; undefined if its invoices are not synced. */
export function fikenSettings(config: AppConfig): Access<FikenSettings> | undefined {
  const { FIKEN_URL: url, FIKEN_TOKEN: token, FIKEN_COMPANY: company } = config;
  const configured = token === undefined ? undefined : { url, token, company };
  return orSandbox(configured, config, (sandbox) => ({
    url: `${sandbox}/fiken/api/v2`,
    token: SANDBOX_CREDENTIAL,
    company: company || SANDBOX_COMPANY,
  }));
}
