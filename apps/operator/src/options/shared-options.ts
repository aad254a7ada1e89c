import { type OptionDefinition, optional, type Parser, required } from './option';
import * as read from './read';

// Options of several commands, then those of all.

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

/** How a result is printed. `wide` is a table with all columns, however long. */
export type OutputFormat = 'table' | 'wide' | 'json' | 'csv';

/** The values of the options that every command has. */
export interface CommonOptions {
  as?: string;
  yes: boolean;
  output: OutputFormat;
}

const format = read.oneOf<OutputFormat>()('table', 'wide', 'json', 'csv');

/** Options of every command: flags, description, and the words that a value may be. */
export const COMMON_OPTIONS: readonly (readonly [flags: string, description: string, choices?: readonly string[]])[] = [
  ['--json', 'print one JSON value; errors too'],
  ['--csv', 'print CSV; of a list all rows'],
  ['-o, --format <format>', 'how to print the result', format.choices],
  ['--as <name>', 'who you are, for the audit log; default OPERATOR_NAME'],
  ['--yes', 'answer the question of the command with yes'],
];

/** Reads the options that every command has. @throws ServiceError for an unknown format */
export function commonOptions(given: Record<string, unknown>): CommonOptions {
  const { as, yes, json, csv, format: shape } = given as Partial<Record<string, string | boolean>>;
  const named = typeof shape === 'string' ? format(shape) : 'table';
  return {
    ...(typeof as === 'string' && { as }),
    yes: yes === true,
    output: json ? 'json' : csv ? 'csv' : named,
  };
}

/** Whether the words ask for JSON, before it is known if they are a command. */
export function wantsJson(words: readonly string[]): boolean {
  return words.some(
    (word, at) =>
      ['--json', '--format=json', '-ojson', '-o=json'].includes(word) ||
      (word === 'json' && ['-o', '--format'].includes(words[at - 1] ?? '')),
  );
}
