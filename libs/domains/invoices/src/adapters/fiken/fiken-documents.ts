import { z } from 'zod';
import { fromDecimals } from '@platform/money';
import type { VisibleInvoiceStatus } from '../../invoice-values';
import { CREDIT_NOTE, type SourceInvoice, type SourceProblem } from '../../ports/billing-source.port';
import { asCreditNote, day, explain, foreign, problemOf, settleCredited, text } from '../source-documents';

const hundredths = z.int();
const currency = z
  .string()
  .regex(/^[A-Z]{3}$/)
  .default('NOK');
const customer = z.object({ contactId: z.int() });
const pdf = z.object({ downloadUrl: z.string().min(1) }).nullish();

/** The fields of a Fiken invoice that are used. Amounts are in hundredths of its currency; some are in NOK. */
const wireInvoice = z.object({
  invoiceId: z.int(),
  invoiceNumber: z.int(),
  kid: z.union([text, z.literal('')]).nullish(),
  issueDate: day,
  dueDate: day.nullish(),
  gross: hundredths,
  grossInNok: hundredths.nullish(),
  currency,
  invoicePdf: pdf,
  associatedCreditNotes: z.array(z.unknown()).nullish(),
  customer,
  settled: z.boolean().nullish(),
  sale: z
    .object({
      settled: z.boolean().nullish(),
      settledDate: day.nullish(),
      writeOff: z.boolean().nullish(),
      totalPaid: hundredths.nullish(),
      totalPaidInCurrency: hundredths.nullish(),
      outstandingBalance: hundredths.nullish(),
    })
    .nullish(),
});

type FikenInvoice = z.output<typeof wireInvoice>;

const wireCreditNote = z.object({
  creditNoteId: z.int(),
  creditNoteNumber: z.int(),
  issueDate: day,
  gross: hundredths,
  currency,
  creditNotePdf: pdf,
  customer,
  settled: z.boolean().nullish(),
});

/**
 * The ids of the credit notes that must be read with an invoice, because Fiken does not state its amount due, or not in its
 * currency.
 */
export function neededCreditNotes(item: unknown): number[] {
  const { data } = wireInvoice.safeParse(item);
  if (!data || isEnded(statusOf(data)) || statedBalance(data) !== undefined) return [];
  return (data.associatedCreditNotes ?? []).filter((id) => typeof id === 'number');
}

/**
 * Parses an invoice of one customer (a Fiken contact). Another customer's invoice is a problem.
 * @param creditNotes those of {@link neededCreditNotes}
 */
export function readFikenInvoice(
  item: unknown,
  account: string,
  creditNotes: unknown[] = [],
): SourceInvoice | SourceProblem {
  const problem = (detail: string): SourceProblem => problemOf(item, 'invoiceId', detail);
  const parsed = wireInvoice.safeParse(item);
  if (!parsed.success) return problem(explain(parsed.error));
  const invoice = parsed.data;
  if (String(invoice.customer.contactId) !== account) return foreign(problem(''));
  const stated = statusOf(invoice);
  const amount = fromDecimals(invoice.gross, 2, invoice.currency);
  const due = isEnded(stated) ? 0 : (statedBalance(invoice) ?? computedBalance(invoice, creditNotes));
  if (due === undefined)
    return problem(
      paidOf(invoice) === undefined
        ? `sale.totalPaidInCurrency: the amount due depends on what was paid in ${invoice.currency}`
        : 'associatedCreditNotes: the amount due depends on one that cannot be read',
    );
  const balance = fromDecimals(due, 2, invoice.currency);
  if (amount === undefined || balance === undefined) return problem(`gross: ${invoice.currency} has no such fraction`);
  const { status, amountDue } = settleCredited(stated, balance, (invoice.sale?.totalPaid ?? 0) > 0);
  const settledDate = invoice.sale?.settledDate;
  const document: SourceInvoice = {
    sourceId: String(invoice.invoiceId),
    type: 'invoice',
    number: String(invoice.invoiceNumber),
    status,
    currency: invoice.currency,
    amount,
    amountDue,
    issueDate: invoice.issueDate,
    dueDate: invoice.dueDate ?? null,
    paidAt: status === 'paid' && settledDate ? startOf(settledDate) : null,
    kid: invoice.kid || null,
    pdfReference: invoice.invoicePdf?.downloadUrl ?? null,
    hostedUrl: null,
    createdAt: startOf(invoice.issueDate),
  };
  return amount < 0n ? asCreditNote(document, stated) : document;
}

/** Derives the status of an invoice from its other fields: Fiken only says whether it is settled, and whether a loss was registered. */
function statusOf({ sale, settled, associatedCreditNotes }: FikenInvoice): VisibleInvoiceStatus {
  if (sale?.writeOff) return 'uncollectible';
  if (!(sale?.settled ?? settled)) return 'open';
  const credited = (associatedCreditNotes ?? []).length > 0 && (sale?.totalPaid ?? 0) === 0;
  return credited ? 'void' : 'paid';
}

/** Whether nothing is unpaid. The claim on an invoice that was written off remains. */
function isEnded(status: VisibleInvoiceStatus): boolean {
  return status === 'paid' || status === 'void';
}

/**
 * The unpaid amount of an invoice, in hundredths of its currency, as far as Fiken states it: it gives the balance in NOK, which
 * is not an amount of an invoice in euros at any rate, and which a registered loss has ended.
 */
function statedBalance({ currency, gross, grossInNok, sale }: FikenInvoice): number | undefined {
  const balance = sale?.outstandingBalance ?? undefined;
  if (balance === undefined || sale?.writeOff) return undefined;
  if (currency === 'NOK') return balance;
  // Credited or paid in full, or more: a balance of zero or less says so in any currency.
  if (balance <= 0) return 0;
  return balance === grossInNok ? gross : undefined;
}

/** What was paid, in the invoice's currency; undefined if Fiken states only that something was, in NOK. */
function paidOf({ currency, sale }: FikenInvoice): number | undefined {
  const inNok = sale?.totalPaid ?? 0;
  return currency === 'NOK' ? inNok : (sale?.totalPaidInCurrency ?? (inNok === 0 ? 0 : undefined));
}

/**
 * The unpaid amount by what was paid and credited in the invoice's currency; undefined if Fiken does not state what was paid
 * in it, or a credit note is not among those that were read.
 */
function computedBalance(invoice: FikenInvoice, creditNotes: unknown[]): number | undefined {
  const { currency, gross, associatedCreditNotes } = invoice;
  const paid = paidOf(invoice);
  if (paid === undefined) return undefined;
  const credited = creditNotes
    .map((note) => wireCreditNote.safeParse(note).data)
    .filter((note) => note?.currency === currency);
  if (credited.length < (associatedCreditNotes ?? []).length) return undefined;
  return credited.reduce((rest, note) => rest - Math.abs(note?.gross ?? 0), gross - paid);
}

/** Parses a credit note of one customer. Its amount due is zero. */
export function readFikenCreditNote(item: unknown, account: string): SourceInvoice | SourceProblem {
  const problem = (detail: string): SourceProblem => problemOf(item, 'creditNoteId', detail, CREDIT_NOTE);
  const parsed = wireCreditNote.safeParse(item);
  if (!parsed.success) return problem(explain(parsed.error));
  const note = parsed.data;
  if (String(note.customer.contactId) !== account) return foreign(problem(''));
  // The credited amount, of either sign at Fiken.
  const amount = fromDecimals(Math.abs(note.gross), 2, note.currency);
  if (amount === undefined) return problem(`gross: ${note.currency} has no such fraction`);
  return {
    sourceId: CREDIT_NOTE + String(note.creditNoteId),
    type: 'credit_note',
    number: String(note.creditNoteNumber),
    status: note.settled ? 'paid' : 'open',
    currency: note.currency,
    amount,
    amountDue: 0n,
    issueDate: note.issueDate,
    dueDate: null,
    paidAt: null,
    kid: null,
    pdfReference: note.creditNotePdf?.downloadUrl ?? null,
    hostedUrl: null,
    createdAt: startOf(note.issueDate),
  };
}

/** The link to the PDF of an invoice or credit note, if it has one. */
export function fikenPdfLink(item: unknown): string | undefined {
  const { data } = z.object({ invoicePdf: pdf, creditNotePdf: pdf }).safeParse(item);
  return (data?.invoicePdf ?? data?.creditNotePdf)?.downloadUrl;
}

/** Whether a document belongs to this customer. */
export function belongsTo(item: unknown, account: string): boolean {
  const { data } = z.object({ customer }).safeParse(item);
  return data !== undefined && String(data.customer.contactId) === account;
}

/** Midnight UTC, which is the same day in Norway. */
function startOf(date: string): Date {
  return new Date(`${date}T00:00:00Z`);
}
