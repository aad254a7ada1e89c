import { BILLING_SOURCES } from '@domains/invoices';
import { optional, required } from './option';
import * as read from './read';

/** The customer that a command concerns. */
export const customer = required('--customer <id>', 'id of the customer', read.uuid);

/** Restricts a list to one customer. */
export const anyCustomer = optional('--customer <id>', 'of this customer only; default: all', read.uuid);

export const ticket = required('--ticket <id>', 'id of the ticket', read.uuid);

export const token = required('--token <id>', 'id of the token', read.uuid);

export const source = required('--source <source>', 'stripe or fiken', read.oneOf(BILLING_SOURCES));
