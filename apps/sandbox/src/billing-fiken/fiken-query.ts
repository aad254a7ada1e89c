import type { FikenCreditNote, FikenInvoice } from './fiken-store';

/** Parsed query parameters. */
export type Query = Record<string, string | string[] | undefined>;

/** A request that Fiken refuses. */
export class FikenRefusal extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** A page with the values of the pagination headers. */
export interface Page<Item> {
  items: Item[];
  headers: Record<string, string>;
}

const LARGEST_PAGE = 100;

/** Pages count from 0. */
export function paginate<Item>(items: Item[], query: Query): Page<Item> {
  const page = wholeNumber(query, 'page') ?? 0;
  const pageSize = wholeNumber(query, 'pageSize') ?? 25;
  if (pageSize < 1 || pageSize > LARGEST_PAGE)
    throw new FikenRefusal(400, `pageSize must be from 1 to ${LARGEST_PAGE}`);
  return {
    items: items.slice(page * pageSize, (page + 1) * pageSize),
    headers: {
      'Fiken-Api-Page': String(page),
      'Fiken-Api-Page-Size': String(pageSize),
      'Fiken-Api-Page-Count': String(Math.ceil(items.length / pageSize)),
      'Fiken-Api-Result-Count': String(items.length),
    },
  };
}

/** The filter of invoices for a query. */
export function invoiceFilter(query: Query): (invoice: FikenInvoice) => boolean {
  const issued = dateFilter(query, 'issueDate');
  const modified = dateFilter(query, 'lastModified');
  const due = dateFilter(query, 'dueDate');
  const customer = valueFilter(query, 'customerId');
  const settled = valueFilter(query, 'settled');
  const number = valueFilter(query, 'invoiceNumber');
  return (invoice) =>
    issued(invoice.issueDate) &&
    modified(invoice.lastModifiedDate) &&
    due(invoice.dueDate) &&
    customer(invoice.customerId) &&
    settled(invoice.settledDate !== undefined) &&
    number(invoice.invoiceNumber);
}

/** The filter of credit notes for a query. */
export function creditNoteFilter(query: Query): (note: FikenCreditNote) => boolean {
  const issued = dateFilter(query, 'issueDate');
  const modified = dateFilter(query, 'lastModified');
  const customer = valueFilter(query, 'customerId');
  const settled = valueFilter(query, 'settled');
  return (note) =>
    issued(note.issueDate) && modified(note.lastModifiedDate) && customer(note.customerId) && settled(note.settled);
}

/** The five filters of a date's name: equal, `Le`, `Lt`, `Ge`, `Gt`. */
function dateFilter(query: Query, name: string): (value: string) => boolean {
  const [equal, le, lt, ge, gt] = ['', 'Le', 'Lt', 'Ge', 'Gt'].map((suffix) => date(query, name + suffix));
  return (value) =>
    (equal === undefined || value === equal) &&
    (le === undefined || value <= le) &&
    (lt === undefined || value < lt) &&
    (ge === undefined || value >= ge) &&
    (gt === undefined || value > gt);
}

function valueFilter(query: Query, name: string): (value: string | number | boolean) => boolean {
  const wanted = one(query, name);
  return (value) => wanted === undefined || wanted === String(value);
}

function date(query: Query, name: string): string | undefined {
  const value = one(query, name);
  if (value !== undefined && !/^\d{4}-\d{2}-\d{2}$/.test(value))
    throw new FikenRefusal(400, `${name} must be a date as yyyy-MM-dd`);
  return value;
}

function wholeNumber(query: Query, name: string): number | undefined {
  const value = one(query, name);
  if (value === undefined) return undefined;
  if (!/^\d{1,9}$/.test(value)) throw new FikenRefusal(400, `${name} must be a whole number`);
  return Number(value);
}

function one(query: Query, name: string): string | undefined {
  const value = query[name];
  return Array.isArray(value) ? value[0] : value;
}
