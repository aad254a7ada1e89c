import { z } from 'zod';
import type { Calendar } from '../calendar';
import { CREDIT_NOTE, type SourceInvoice, type SourceProblem } from './billing-source';
import { explain, idOf } from './read-items';
import { currency, customer, minorUnits, seconds, timeOf } from './stripe-values';

/** What of a Stripe credit note we rely on. */
const wire = z.object({
  id: z.string().min(1),
  customer,
  status: z.enum(['issued', 'void']),
  number: z.string().min(1),
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
  const sourceId = CREDIT_NOTE + idOf(item, 'id');
  const parsed = wire.safeParse(item);
  if (!parsed.success) return { sourceId, detail: explain(parsed.error) };
  const note = parsed.data;
  if (note.customer !== account) return { sourceId, detail: 'It belongs to another customer' };
  const code = note.currency.toUpperCase();
  return {
    sourceId,
    type: 'credit_note',
    number: note.number,
    // What it gives back has been taken off the invoice, paid back or put on the customer's balance when it is issued.
    status: note.status === 'void' ? 'void' : 'paid',
    currency: code,
    amount: minorUnits(note.total, code),
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
