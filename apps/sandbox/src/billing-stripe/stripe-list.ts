import type { StripeCreditNote, StripeInvoice, StripeStore } from './stripe-store';
import { StripeRefusal } from './stripe-errors';

/** Parsed query parameters; `created[gte]` is one name. */
export type Query = Record<string, string | string[] | undefined>;

const OF_INVOICES =
  /^(customer|status|limit|starting_after|ending_before|(created|due_date)(\[(gte|gt|lte|lt)\])?|expand(\[\d*\])?)$/;
const OF_CREDIT_NOTES =
  /^(customer|invoice|limit|starting_after|ending_before|created(\[(gte|gt|lte|lt)\])?|expand(\[\d*\])?)$/;
const STATUSES = new Set(['draft', 'open', 'paid', 'uncollectible', 'void']);

/** A page of a list, newest first. */
export interface Page<Item> {
  page: Item[];
  hasMore: boolean;
}

/** A page of the list of invoices. */
export function listInvoices(store: StripeStore, query: Query): Page<StripeInvoice> {
  refuseUnknown(query, OF_INVOICES);
  const customer = one(query, 'customer');
  const invoices = store.list(customer);
  if (!invoices) throw missing('customer', customer ?? '');
  const status = one(query, 'status');
  if (status !== undefined && !STATUSES.has(status))
    throw new StripeRefusal(400, `Invalid status: ${status}`, { param: 'status' });
  const created = range(query, 'created');
  const dueDate = range(query, 'due_date');
  const matching = invoices.filter(
    (invoice) =>
      (status === undefined || invoice.status === status) && created(invoice.created) && dueDate(invoice.dueDate),
  );
  return cut(matching, query);
}

/** A page of the list of credit notes. */
export function listCreditNotes(store: StripeStore, query: Query): Page<StripeCreditNote> {
  refuseUnknown(query, OF_CREDIT_NOTES);
  const customer = one(query, 'customer');
  const notes = store.listCreditNotes(customer);
  if (!notes) throw missing('customer', customer ?? '');
  const invoice = one(query, 'invoice');
  const created = range(query, 'created');
  const matching = notes.filter((note) => (invoice === undefined || note.invoice === invoice) && created(note.created));
  return cut(matching, query);
}

function refuseUnknown(query: Query, known: RegExp): void {
  for (const name of Object.keys(query)) {
    if (!known.test(name))
      throw new StripeRefusal(400, `Received unknown parameter: ${name}`, { code: 'parameter_unknown', param: name });
  }
}

function cut<Item extends { id: string }>(matching: Item[], query: Query): Page<Item> {
  const limit = wholeNumber(query, 'limit') ?? 10;
  if (limit < 1 || limit > 100) {
    throw new StripeRefusal(400, 'Invalid integer: limit must be from 1 to 100', {
      code: 'parameter_invalid_integer',
      param: 'limit',
    });
  }
  const after = position(matching, query, 'starting_after');
  const before = position(matching, query, 'ending_before');
  if (before !== undefined) {
    const start = Math.max(0, before - limit);
    return { page: matching.slice(start, before), hasMore: start > 0 };
  }
  const start = after === undefined ? 0 : after + 1;
  return { page: matching.slice(start, start + limit), hasMore: matching.length > start + limit };
}

function position(items: { id: string }[], query: Query, name: 'starting_after' | 'ending_before'): number | undefined {
  const id = one(query, name);
  if (id === undefined) return undefined;
  const index = items.findIndex((item) => item.id === id);
  if (index < 0) throw missing(name, id);
  return index;
}

function range(query: Query, name: 'created' | 'due_date'): (value: number) => boolean {
  const [equal, gte, gt, lte, lt] = ['', '[gte]', '[gt]', '[lte]', '[lt]'].map((operator) =>
    wholeNumber(query, name + operator),
  );
  return (value) =>
    (equal === undefined || value === equal) &&
    (gte === undefined || value >= gte) &&
    (gt === undefined || value > gt) &&
    (lte === undefined || value <= lte) &&
    (lt === undefined || value < lt);
}

function wholeNumber(query: Query, name: string): number | undefined {
  const value = one(query, name);
  if (value === undefined) return undefined;
  if (!/^\d+$/.test(value)) {
    throw new StripeRefusal(400, `Invalid integer: ${value}`, { code: 'parameter_invalid_integer', param: name });
  }
  return Number(value);
}

function one(query: Query, name: string): string | undefined {
  const value = query[name];
  return Array.isArray(value) ? value[0] : value;
}

/** The error for an unknown id: 404 if it is part of the path, 400 if it is a parameter. */
export function missing(param: string, id: string, status = 400): StripeRefusal {
  const kind = param === 'customer' ? 'customer' : id.startsWith('cn_') ? 'credit note' : 'invoice';
  return new StripeRefusal(status, `No such ${kind}: '${id}'`, { code: 'resource_missing', param });
}
