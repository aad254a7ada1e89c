import { type StripeInvoice } from './stripe-invoice';
import { StripeRefusal } from './stripe-errors';
import { type StripeStore } from './stripe-store';

/** Query parameters as they came, `created[gte]` under that very name. */
export type Query = Record<string, string | string[] | undefined>;

const KNOWN =
  /^(customer|status|limit|starting_after|ending_before|(created|due_date)(\[(gte|gt|lte|lt)\])?|expand(\[\d*\])?)$/;
const STATUSES = new Set(['draft', 'open', 'paid', 'uncollectible', 'void']);

/** A page of the list, newest first. */
export function listInvoices(store: StripeStore, query: Query): { page: StripeInvoice[]; hasMore: boolean } {
  for (const name of Object.keys(query)) {
    if (!KNOWN.test(name))
      throw new StripeRefusal(400, `Received unknown parameter: ${name}`, { code: 'parameter_unknown', param: name });
  }
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

function cut(matching: StripeInvoice[], query: Query): { page: StripeInvoice[]; hasMore: boolean } {
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

function position(
  invoices: StripeInvoice[],
  query: Query,
  name: 'starting_after' | 'ending_before',
): number | undefined {
  const id = one(query, name);
  if (id === undefined) return undefined;
  const index = invoices.findIndex((invoice) => invoice.id === id);
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

/** An id that names nothing; Stripe answers 404 where it stands in the path and 400 where it is a parameter. */
export function missing(param: string, id: string, status = 400): StripeRefusal {
  const what = param === 'customer' ? 'customer' : 'invoice';
  return new StripeRefusal(status, `No such ${what}: '${id}'`, { code: 'resource_missing', param });
}
