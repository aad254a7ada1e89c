import * as read from './read';

// Options of all commands.

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
