import type { BillingSourceName } from '@domains/invoices';
import type { ListingRequest } from '@platform/pagination';
import { type OptionDefinition, optional, required } from './option';
import * as read from './read';

/** An option that takes a customer's number, name or id. */
export function requiredCustomer(description: string): OptionDefinition<string, true> {
  return { ...required('--customer <customer>', description), names: 'customer' };
}

export function optionalCustomer(description: string): OptionDefinition<string, false> {
  return { ...optional('--customer <customer>', description), names: 'customer' };
}

/** The customer that a command concerns. */
export const customer = requiredCustomer("the customer's number, name or id");

/** Restricts a list to one customer. */
export const anyCustomer = optionalCustomer('of this customer only (number, name or id); default: all');

/** How many rows a list shows at most. What is left out is said on standard error. */
export const limit = optional('--limit <n>', 'rows at most; default 500, with --csv all', read.rows);

/** Continues a list. */
export const after = optional('--after <id>', 'only what comes behind the row with this id', read.uuid);

/** Days of a list. */
export const from = optional('--from <date>', 'only from this day on, YYYY-MM-DD in the billing time zone', read.date);
export const to = optional('--to <date>', 'only up to this day, which is included', read.date);

export const ticket = required('--ticket <id>', 'id of the ticket', read.uuid);

export const token = required('--token <id>', 'id of the token', read.uuid);

/** Names of the billing sources. */
export const billingSource = read.oneOf<BillingSourceName>()('stripe', 'fiken');

export const source = required('--source <source>', 'billing source', billingSource);

/** The part of a list that options ask for. */
export function listingOf({ limit = 500, after }: { limit?: number; after?: string }): ListingRequest {
  return { limit, after };
}
