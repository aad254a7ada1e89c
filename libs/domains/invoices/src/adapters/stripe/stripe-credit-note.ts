import { z } from 'zod';
import type { Calendar } from '../calendar';
import { CREDIT_NOTE, type SourceInvoice, type SourceProblem } from '../../ports/billing-source.port';
import { explain, foreign, problemOf, text } from '../read-items';
import { currency, customer, minorUnits, seconds, timeOf } from './stripe-values';

/** What of a Stripe credit note we rely on. */
const wire = z.object({
  id: text,
  customer,
  status: z.enum(['issued', 'void']),
  number: text,
  currency,
  total: z.int().nonnegative(),
  created: seconds,
  effective_at: seconds.nullish(),
  pdf: z.string().nullish(),
});

/** Reads a credit note of one customer. Nothing is due on it. Another customer's is a problem, as with invoices. */
export function readStripeCreditNote(
  item: unknown,
  account: string,
  calendar: Calendar,
): SourceInvoice | SourceProblem {
  const problem = (detail: string): SourceProblem => problemOf(item, 'id', detail, CREDIT_NOTE);
  const parsed = wire.safeParse(item);
  if (!parsed.success) return problem(explain(parsed.error));
  const note = parsed.data;
  if (note.customer !== account) return foreign(problem(''));
  const code = note.currency.toUpperCase();
  const total = minorUnits(note.total, code);
  if (total === undefined) return problem(`total: ${code} has no such fraction`);
  return {
    sourceId: CREDIT_NOTE + note.id,
    type: 'credit_note',
    number: note.number,
    // What it gives back has been taken off the invoice, paid back or put on the customer's balance when it is issued.
    status: note.status === 'void' ? 'void' : 'paid',
    currency: code,
    amount: total,
    amountDue: 0n,
    issueDate: calendar.dateOf(timeOf(note.effective_at ?? note.created)),
    dueDate: null,
    paidAt: null,
    kid: null,
    // The link in the note expires: a fresh one is asked for when somebody wants the PDF.
    pdfReference: note.pdf ? note.id : null,
    hostedUrl: null,
    createdAt: timeOf(note.created),
  };
}
