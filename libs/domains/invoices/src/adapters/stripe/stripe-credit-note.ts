import { z } from 'zod';
import type { BillingCalendar } from '@platform/time';
import { CREDIT_NOTE, type SourceInvoice, type SourceProblem } from '../../ports/billing-source.port';
import { explain, foreign, problemOf, text } from '../read-items';
import { currency, customer, minorUnits, seconds, timeOf } from './stripe-values';

/** The fields of a Stripe credit note that are used. */
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

/** Parses a credit note of one customer. Its amount due is zero. Another customer's is a problem. */
export function readStripeCreditNote(
  item: unknown,
  account: string,
  calendar: BillingCalendar,
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
    // Its amount was subtracted from the invoice, refunded or added to the customer's balance when it was issued.
    status: note.status === 'void' ? 'void' : 'paid',
    currency: code,
    amount: total,
    amountDue: 0n,
    issueDate: calendar.dateOf(timeOf(note.effective_at ?? note.created)),
    dueDate: null,
    paidAt: null,
    kid: null,
    // The link in the note expires: a new one is requested when a customer opens the PDF.
    pdfReference: note.pdf ? note.id : null,
    hostedUrl: null,
    createdAt: timeOf(note.created),
  };
}
