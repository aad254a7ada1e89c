import { z } from 'zod';
import type { BillingCalendar } from '@platform/time';
import { fromDecimals } from '@platform/money';
import { CREDIT_NOTE, type SourceInvoice, type SourceProblem } from '../../ports/billing-source.port';
import { asCreditNote, explain, foreign, problemOf, settleCredited, text } from '../source-documents';

/** A Stripe timestamp from 2000 to 2199; any other value is an error. */
const seconds = z.int().min(946_684_800).max(7_258_118_399);

/** A Stripe customer: its id or the expanded object. */
const customer = z.union([text, z.object({ id: text }).transform(({ id }) => id)]);

/** A currency as Stripe writes it. */
const currency = z.string().regex(/^[a-z]{3}$/);

/** Stripe's own list of currencies without decimals; ISK and UGX are not on it and have two there. */
const WITHOUT_DECIMALS = new Set('BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' '));
const WITH_THREE_DECIMALS = new Set('BHD JOD KWD OMR TND'.split(' '));

/** The fields of a Stripe invoice that are used. */
const wireInvoice = z.object({
  id: text,
  customer,
  status: z.enum(['draft', 'open', 'paid', 'uncollectible', 'void']),
  number: text.nullish(),
  currency,
  total: z.int(),
  amount_paid: z.int().nullish(),
  amount_remaining: z.int(),
  created: seconds,
  effective_at: seconds.nullish(),
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
  const parsed = wireInvoice.safeParse(item);
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
  const document: SourceInvoice = {
    sourceId: invoice.id,
    type: 'invoice',
    number: invoice.number ?? 'draft',
    ...settleCredited(invoice.status, owed ? remaining : 0n, (invoice.amount_paid ?? 0) > 0),
    currency: code,
    amount: total,
    // The date that Stripe prints, which may be set to another day than that of the issue.
    issueDate: calendar.dateOf(timeOf(invoice.effective_at ?? issued)),
    dueDate: invoice.due_date ? calendar.dateOf(timeOf(invoice.due_date)) : null,
    paidAt: invoice.status_transitions.paid_at ? timeOf(invoice.status_transitions.paid_at) : null,
    kid: null,
    // The link in the invoice expires: a new one is requested when a customer opens the PDF.
    pdfReference: invoice.invoice_pdf ? invoice.id : null,
    hostedUrl: invoice.hosted_invoice_url ?? null,
    createdAt: timeOf(issued),
  };
  // Such as for unused time: Stripe adds its amount to the customer's balance when it issues it.
  return total < 0n ? asCreditNote(document, invoice.status) : document;
}

/** The fields of a Stripe credit note that are used. */
const wireCreditNote = z.object({
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
  const parsed = wireCreditNote.safeParse(item);
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

/** An amount in Stripe's minor units; undefined if it has a smaller fraction. `code` is the currency in upper case. */
function minorUnits(amount: number, code: string): bigint | undefined {
  const decimals = WITHOUT_DECIMALS.has(code) ? 0 : WITH_THREE_DECIMALS.has(code) ? 3 : 2;
  return fromDecimals(amount, decimals, code);
}

function timeOf(unixSeconds: number): Date {
  return new Date(unixSeconds * 1000);
}
