import { z } from 'zod';
import { isProblem, type SourceInvoice, type SourceProblem, UNIDENTIFIED } from '../ports/billing-source.port';
import type { InvoiceStatus } from '../invoice-values';

/** Longest text of a source that is stored. */
const LONGEST = 500;

/** A text that can be stored and shown: not empty, not too long, without control characters or lone surrogates. */
export const text = z
  .string()
  .min(1)
  .max(LONGEST)
  .refine((value) => value.isWellFormed() && !/\p{Cc}/u.test(value), 'has characters that cannot be stored');

/** A calendar date, `YYYY-MM-DD`. */
export const day = z.iso
  .date()
  .refine((value) => value >= '1970-01-01' && value < '2200-01-01', 'is not a possible date');

/** Parses each item separately, so that an invalid one does not stop the others. */
export function readItems(
  items: unknown[],
  read: (item: unknown) => SourceInvoice | SourceProblem,
): { invoices: SourceInvoice[]; problems: SourceProblem[] } {
  const [invoices, problems]: [SourceInvoice[], SourceProblem[]] = [[], []];
  for (const item of items.map(read)) {
    if (isProblem(item)) problems.push(item);
    else invoices.push(item);
  }
  return { invoices, problems };
}

/** Describes the faults of an item, field by field, without its values. */
export function explain(error: z.ZodError): string {
  return error.issues
    .map(({ path, message }) => `${path.join('.') || 'item'}: ${message}`)
    .join('; ')
    .slice(0, LONGEST);
}

/** The problem of an item that could not be parsed. `field` holds its id; `prefix` separates kinds of documents. */
export function problemOf(item: unknown, field: string, detail: string, prefix = ''): SourceProblem {
  const id = typeof item === 'object' && item !== null ? (item as Record<string, unknown>)[field] : undefined;
  if ((typeof id !== 'string' && typeof id !== 'number') || id === '') {
    return { sourceId: prefix + UNIDENTIFIED, detail, unidentified: true };
  }
  return { sourceId: prefix + storable(String(id)), detail };
}

/**
 * Marks an item that the source lists for this customer but that names another one. It must never be stored for this
 * customer.
 */
export function foreign(problem: SourceProblem): SourceProblem {
  return { ...problem, detail: 'It belongs to another customer', foreign: true };
}

function storable(value: string): string {
  return value
    .toWellFormed()
    .replace(/\p{Cc}/gu, '\ufffd')
    .slice(0, LONGEST);
}

/**
 * The amount due, and the resulting status of an open invoice. An invoice that is credited in full or more is not open,
 * even if its source says so. It is void if nothing was ever paid.
 */
export function settleCredited(
  status: InvoiceStatus,
  due: bigint,
  wasPaid: boolean,
): { status: InvoiceStatus; amountDue: bigint } {
  if (due > 0n) return { status, amountDue: due };
  if (status !== 'open') return { status, amountDue: 0n };
  return { status: wasPaid ? 'paid' : 'void', amountDue: 0n };
}

/** An invoice with a negative total, as the credit note that it is. @param stated its status in the source */
export function asCreditNote(document: SourceInvoice, stated: InvoiceStatus): SourceInvoice {
  const status = stated === 'draft' || stated === 'void' ? stated : 'paid';
  const amount = -document.amount;
  return { ...document, type: 'credit_note', status, amount, amountDue: 0n, dueDate: null, paidAt: null, kid: null };
}
