import { z } from 'zod';
import { isProblem, type SourceInvoice, type SourceProblem } from '../ports/billing-source.port';

/** Longest text of a source that is kept. */
const LONGEST = 500;

/** A text that the database can store and a customer can read: not empty, not too long, no control or half characters. */
export const text = z
  .string()
  .min(1)
  .max(LONGEST)
  .refine((value) => value.isWellFormed() && !/\p{Cc}/u.test(value), 'has characters that cannot be stored');

/** A day of our time, `YYYY-MM-DD`. */
export const day = z.iso
  .date()
  .refine((value) => value >= '1970-01-01' && value < '2200-01-01', 'is not a possible date');

/** Reads each item by itself, so that one that cannot be read does not stop the others. */
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

/** Says what is wrong with an item: field by field, without its values. */
export function explain(error: z.ZodError): string {
  return error.issues
    .map(({ path, message }) => `${path.join('.') || 'item'}: ${message}`)
    .join('; ')
    .slice(0, LONGEST);
}

/** Stands for the id of an item that has none: it cannot be asked for again. */
const NO_ID = 'without an id';

/** An item that cannot be read, under the id that it has in `field`; `prefix` tells kinds of documents apart. */
export function problemOf(item: unknown, field: string, detail: string, prefix = ''): SourceProblem {
  const id = typeof item === 'object' && item !== null ? (item as Record<string, unknown>)[field] : undefined;
  if ((typeof id !== 'string' && typeof id !== 'number') || id === '') {
    return { sourceId: prefix + NO_ID, detail, unidentified: true };
  }
  return { sourceId: prefix + storable(String(id)), detail };
}

/** An item that a source counts among a customer's and that says that it is another's. It must never be stored as this one's. */
export function foreign(problem: SourceProblem): SourceProblem {
  return { ...problem, detail: 'It belongs to another customer', foreign: true };
}

/** A text as the database can store it. */
function storable(value: string): string {
  return value
    .toWellFormed()
    .replace(/\p{Cc}/gu, '\ufffd')
    .slice(0, LONGEST);
}
