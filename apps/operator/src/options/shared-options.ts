import { BILLING_SOURCES } from '@domains/invoices';
import type { ListingRequest } from '@platform/pagination';
import { flag, optional, required } from './option';
import * as read from './read';

/** The customer that a command concerns. */
export const customer = required('--customer <id>', 'id of the customer', read.uuid);

/** Restricts a list to one customer. */
export const anyCustomer = optional('--customer <id>', 'of this customer only; default: all', read.uuid);

/** How many rows a list shows at most. What is left out is said on standard error. */
export const limit = optional('--limit <n>', 'rows at most; default 500', read.rows);

/** Continues a list. */
export const after = optional('--after <id>', 'only what comes behind the row with this id', read.uuid);

/** Days of a list. */
export const from = optional('--from <date>', 'only from this day on, YYYY-MM-DD in the billing time zone', read.date);
export const to = optional('--to <date>', 'only up to this day, which is included', read.date);

/** Everything as CSV. */
export const csv = flag('--csv', 'print all rows as CSV');

export const ticket = required('--ticket <id>', 'id of the ticket', read.uuid);

export const token = required('--token <id>', 'id of the token', read.uuid);

export const source = required('--source <source>', 'stripe or fiken', read.oneOf(BILLING_SOURCES));

/** The part of a list that options ask for. */
export function listingOf({ limit = 500, after }: { limit?: number; after?: string }): ListingRequest {
  return { limit, after };
}
