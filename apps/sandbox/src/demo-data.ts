import { type Sandbox } from './sandbox';

/** Customer of the Stripe stand-in that has invoices from the start. */
export const DEMO_STRIPE_CUSTOMER = 'cus_demo';
/** Company and customer of the Fiken stand-in that have invoices from the start. */
export const DEMO_FIKEN_COMPANY = 'demo';
export const DEMO_FIKEN_CUSTOMER = 1001;

/** Adds demo data to the billing sources. */
export function addDemoData({ stripe, fiken }: Sandbox): void {
  const [credited] = stripe.store.addInvoices({ customer: DEMO_STRIPE_CUSTOMER, count: 12, everySeconds: 14 * 86_400 });
  if (credited) stripe.store.addCreditNote(credited.id);
  const company = fiken.store.company(DEMO_FIKEN_COMPANY);
  const [first] = company.addInvoices({ customerId: DEMO_FIKEN_CUSTOMER, count: 12, everyDays: 14 });
  if (first) company.credit(first.invoiceId, '2026-02-01');
}
