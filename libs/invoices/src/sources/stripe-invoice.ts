import { z } from 'zod';
import type { Calendar } from '../calendar';
import type { SourceInvoice, SourceProblem } from './billing-source';
import { explain, idOf } from './read-items';
import { currency, customer, minorUnits, seconds, timeOf } from './stripe-values';

const amount = z.int();

/** What of a Stripe invoice we rely on. */
const wire = z.object({
  id: z.string().min(1),
  customer,
  status: z.enum(['draft', 'open', 'paid', 'uncollectible', 'void']),
  number: z.string().nullish(),
  currency,
  total: amount,
  amount_remaining: amount,
  created: seconds,
  due_date: seconds.nullish(),
  hosted_invoice_url: z.url({ protocol: /^https?$/ }).nullish(),
  invoice_pdf: z.string().nullish(),
  status_transitions: z.object({ finalized_at: seconds.nullish(), paid_at: seconds.nullish() }),
});

/** Reads an invoice of one customer. Another customer's is a problem: it must never be stored as this one's. */
export function readStripeInvoice(item: unknown, account: string, calendar: Calendar): SourceInvoice | SourceProblem {
  const problem = (detail: string): SourceProblem => ({ sourceId: idOf(item, 'id'), detail });
  const parsed = wire.safeParse(item);
  if (!parsed.success) return problem(explain(parsed.error));
  const invoice = parsed.data;
  if (invoice.customer !== account) return problem('It belongs to another customer');
  if (invoice.status !== 'draft' && !invoice.number) return problem('number: it has none although it is final');
  const code = invoice.currency.toUpperCase();
  const owed = invoice.status === 'open' || invoice.status === 'uncollectible';
  const issued = invoice.status_transitions.finalized_at ?? invoice.created;
  return {
    sourceId: invoice.id,
    type: 'invoice',
    number: invoice.number ?? 'draft',
    status: invoice.status,
    currency: code,
    amount: minorUnits(invoice.total, code),
    amountDue: owed ? minorUnits(invoice.amount_remaining, code) : 0n,
    issueDate: calendar.dateOf(timeOf(issued)),
    dueDate: invoice.due_date ? calendar.dateOf(timeOf(invoice.due_date)) : null,
    paidAt: invoice.status_transitions.paid_at ? timeOf(invoice.status_transitions.paid_at) : null,
    kid: null,
    // The link in the invoice expires: a fresh one is asked for when somebody wants the PDF.
    pdfReference: invoice.invoice_pdf ? invoice.id : null,
    hostedUrl: invoice.hosted_invoice_url ?? null,
    createdAt: timeOf(invoice.created),
  };
}
