import type { z } from 'zod';
import { isProblem, type SourceInvoice, type SourceProblem } from './billing-source';

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
  return error.issues.map(({ path, message }) => `${path.join('.') || 'item'}: ${message}`).join('; ');
}

/** Stands for the id of an item that has none: it cannot be asked for again. */
const NO_ID = 'without an id';

/** The id of an item that may not even have one. */
export function idOf(item: unknown, field: string): string {
  const id = typeof item === 'object' && item !== null ? (item as Record<string, unknown>)[field] : undefined;
  return typeof id === 'string' || typeof id === 'number' ? String(id) : NO_ID;
}
