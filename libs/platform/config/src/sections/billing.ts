import { z } from 'zod';
import { address, milliseconds, positive, wholeNumber } from './types';

/** The billing sources that invoices are synced from. A source without its secret is off. */
export const billing = {
  STRIPE_URL: address.default('https://api.stripe.com').describe('base address of the Stripe API'),
  STRIPE_SECRET_KEY: z
    .string()
    .trim()
    .min(1)
    .optional()
    .describe('Stripe key that may read invoices and credit notes; secret'),
  STRIPE_PDF_HOSTS: z
    .string()
    .default('stripe.com')
    .transform((text) => text.split(',').map((host) => host.trim().toLowerCase()))
    .pipe(z.array(z.hostname('must be names of hosts such as stripe.com, separated by commas')))
    .describe(
      "comma separated hosts that Stripe's PDF links may lead to, with their subdomains; the origin of STRIPE_URL is always allowed",
    ),
  FIKEN_URL: address.default('https://api.fiken.no/api/v2').describe('base address of the Fiken API'),
  FIKEN_TOKEN: z.string().trim().min(1).optional().describe('Fiken personal API token; secret'),
  FIKEN_COMPANY: z.string().trim().default('').describe('slug of the company in Fiken that issues the invoices'),
  BILLING_TIMEOUT_MS: milliseconds.default(30_000).describe('maximum time of a request to a billing source'),
  INVOICE_SYNC_MINUTES: wholeNumber(1, 45)
    .default(15)
    .describe(
      "minutes between two syncs of a customer's invoices from one source, 45 at most: the alert InvoicesOld calls after an hour without a sync",
    ),
  INVOICE_PDF_MEMORY_MB: positive
    .default(128)
    .describe(
      'megabytes of PDFs held in memory for slow readers, per process; beyond that, the slowest readers are disconnected',
    ),
};
