import { z } from 'zod';
import { CREDIT_NOTE, type SourceInvoice, type SourceProblem } from './billing-source';
import { explain, idOf } from './read-items';

const date = z.iso.date();
const ore = z.int();
const customer = z.object({ contactId: z.int() });
const pdf = z.object({ downloadUrl: z.string().min(1) }).nullish();

/** What of a Fiken invoice we rely on. Amounts are hundredths of its currency. */
const wireInvoice = z.object({
  invoiceId: z.int(),
  invoiceNumber: z.int(),
  kid: z.string().nullish(),
  issueDate: date,
  dueDate: date.nullish(),
  gross: ore,
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/)
    .default('NOK'),
  invoicePdf: pdf,
  associatedCreditNotes: z.array(z.unknown()).nullish(),
  customer,
  settled: z.boolean().nullish(),
  sale: z
    .object({
      settled: z.boolean().nullish(),
      settledDate: date.nullish(),
      writeOff: z.boolean().nullish(),
      totalPaid: ore.nullish(),
      outstandingBalance: ore.nullish(),
    })
    .nullish(),
});

const wireCreditNote = z.object({
  creditNoteId: z.int(),
  creditNoteNumber: z.int(),
  issueDate: date,
  gross: ore,
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/)
    .default('NOK'),
  creditNotePdf: pdf,
  customer,
  settled: z.boolean().nullish(),
});

/** Reads an invoice of one customer (a Fiken contact). Another customer's is a problem: it must never be stored as this one's. */
export function readFikenInvoice(item: unknown, account: string): SourceInvoice | SourceProblem {
  const sourceId = idOf(item, 'invoiceId');
  const parsed = wireInvoice.safeParse(item);
  if (!parsed.success) return { sourceId, detail: explain(parsed.error) };
  const invoice = parsed.data;
  if (String(invoice.customer.contactId) !== account) return { sourceId, detail: 'It belongs to another customer' };
  const settled = invoice.sale?.settled ?? invoice.settled ?? false;
  const status = settled ? settledStatus(invoice) : 'open';
  const due = invoice.sale?.outstandingBalance ?? (settled ? 0 : invoice.gross);
  const settledDate = invoice.sale?.settledDate;
  return {
    sourceId,
    type: 'invoice',
    number: String(invoice.invoiceNumber),
    status,
    currency: invoice.currency,
    amount: BigInt(invoice.gross),
    amountDue: BigInt(due),
    issueDate: invoice.issueDate,
    dueDate: invoice.dueDate ?? null,
    paidAt: status === 'paid' && settledDate ? startOf(settledDate) : null,
    kid: invoice.kid || null,
    pdfReference: invoice.invoicePdf?.downloadUrl ?? null,
    hostedUrl: null,
    createdAt: startOf(invoice.issueDate),
  };
}

/** Fiken says only that an invoice is settled; how follows from the rest. */
function settledStatus({
  sale,
  associatedCreditNotes,
}: z.output<typeof wireInvoice>): 'paid' | 'void' | 'uncollectible' {
  if (sale?.writeOff) return 'uncollectible';
  const credited = (associatedCreditNotes ?? []).length > 0 && (sale?.totalPaid ?? 0) === 0;
  return credited ? 'void' : 'paid';
}

/** Reads a credit note of one customer. Nothing is due on it. */
export function readFikenCreditNote(item: unknown, account: string): SourceInvoice | SourceProblem {
  const sourceId = CREDIT_NOTE + idOf(item, 'creditNoteId');
  const parsed = wireCreditNote.safeParse(item);
  if (!parsed.success) return { sourceId, detail: explain(parsed.error) };
  const note = parsed.data;
  if (String(note.customer.contactId) !== account) return { sourceId, detail: 'It belongs to another customer' };
  return {
    sourceId,
    type: 'credit_note',
    number: String(note.creditNoteNumber),
    status: note.settled ? 'paid' : 'open',
    currency: note.currency,
    amount: BigInt(note.gross),
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

/** The same day in UTC and in Norway. */
function startOf(day: string): Date {
  return new Date(`${day}T00:00:00Z`);
}
