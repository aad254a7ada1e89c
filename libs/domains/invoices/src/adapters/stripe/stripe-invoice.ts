import { z } from 'zod';
import type { BillingCalendar } from '@platform/time';
import type { SourceInvoice, SourceProblem } from '../../ports/billing-source.port';
import { explain, foreign, problemOf, text } from '../read-items';
import { settleCredited } from '../settled-by-credit';
import { currency, customer, minorUnits, seconds, timeOf } from './stripe-values';

const amount = z.int();

/** The fields of a Stripe invoice that are used. */
const wire = z.object({
  id: text,
  customer,
  status: z.enum(['draft', 'open', 'paid', 'uncollectible', 'void']),
  number: text.nullish(),
  currency,
  total: amount,
  amount_paid: amount.nullish(),
  amount_remaining: amount,
  created: seconds,
  due_date: seconds.nullish(),
  hosted_invoice_url: z
    .url({ protocol: /^https?$/ })
    .max(2_000)
    .nullish(),
  invoice_pdf: z.string().nullish(),
  status_transitions: z.object({ finalized_at: seconds.nullish(), paid_at: seconds.nullish() }),
});

/** Parses an invoice of one customer. Another customer's is a problem. */
export function readStripeInvoice(
  item: unknown,
  account: string,
  calendar: BillingCalendar,
): SourceInvoice | SourceProblem {
  const problem = (detail: string): SourceProblem => problemOf(item, 'id', detail);
  const parsed = wire.safeParse(item);
  if (!parsed.success) return problem(explain(parsed.error));
  const invoice = parsed.data;
  if (invoice.customer !== account) return foreign(problem(''));
  if (invoice.status !== 'draft' && !invoice.number) return problem('number: missing although the invoice is final');
  const code = invoice.currency.toUpperCase();
  const total = minorUnits(invoice.total, code);
  const remaining = minorUnits(invoice.amount_remaining, code);
  if (total === undefined || remaining === undefined) return problem(`total: ${code} has no such fraction`);
  const issued = invoice.status_transitions.finalized_at ?? invoice.created;
  const owed = invoice.status === 'open' || invoice.status === 'uncollectible';
  return {
    sourceId: invoice.id,
    type: 'invoice',
    number: invoice.number ?? 'draft',
    ...settleCredited(invoice.status, owed ? remaining : 0n, (invoice.amount_paid ?? 0) > 0),
    currency: code,
    amount: total,
    issueDate: calendar.dateOf(timeOf(issued)),
    dueDate: invoice.due_date ? calendar.dateOf(timeOf(invoice.due_date)) : null,
    paidAt: invoice.status_transitions.paid_at ? timeOf(invoice.status_transitions.paid_at) : null,
    kid: null,
    // The link in the invoice expires: a new one is requested when a customer opens the PDF.
    pdfReference: invoice.invoice_pdf ? invoice.id : null,
    hostedUrl: invoice.hosted_invoice_url ?? null,
    createdAt: timeOf(issued),
  };
}
