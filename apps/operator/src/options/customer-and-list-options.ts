import { type OptionDefinition, optional, type Parser, required } from './option';
import * as read from './read';

// Options of several commands.

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

/** Restricts a list to rows with a status. */
export function onlyStatus<Status>(status: Parser<Status>): OptionDefinition<Status, false> {
  return optional('--status <status>', 'only those with this status', status);
}

/** The number of rows that a list shows at most. A message on standard error says that there are more. */
export const limit = optional('--limit <n>', 'rows at most; default 500, with --csv all', read.rows);

/** Continues a list. */
export const after = optional('--after <id>', 'only rows that follow the one with this id', read.uuid);

/** Days of a list. */
export const from = optional('--from <date>', 'only from this day on, YYYY-MM-DD in the billing time zone', read.date);
export const to = optional('--to <date>', 'only up to this day, which is included', read.date);
