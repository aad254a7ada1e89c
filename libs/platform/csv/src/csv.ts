import { amountText } from '@platform/money';

/** The value of a cell. Numbers that a binary number cannot hold are passed as decimal texts in `{ number }`. */
export type CsvCell = string | number | boolean | null | undefined | { number: string };

/** The beginnings of a formula in a spreadsheet: https://owasp.org/www-community/attacks/CSV_Injection */
const FORMULA = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;
/**
 * The same after a separator or a line break within a text. A spreadsheet that splits at semicolons, as many do in Europe, ignores
 * quotes in the middle of its cells, so the rest of the text becomes a cell of its own.
 */
const FORMULA_WITHIN = /([;|\t\r\n]"*)(?=[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g;
const QUOTED = /[",;|\t\r\n]/;

/**
 * A record as RFC 4180 has it, with its line break. A text that a spreadsheet would run as a formula gets an apostrophe before
 * it; customers and their clients write texts such as request ids.
 */
export function csvRecord(cells: readonly CsvCell[]): string {
  return `${cells.map(cellText).join(',')}\r\n`;
}

function cellText(cell: CsvCell): string {
  if (cell === null || cell === undefined) return '';
  if (typeof cell === 'object') return cell.number;
  if (typeof cell !== 'string') return String(cell);
  const within = cell.replace(FORMULA_WITHIN, "$1'");
  const text = FORMULA.test(within) ? `'${within}` : within;
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * A table of objects as they are in JSON, one record each. A column is the path of a member, such as `token.name`, and its
 * head has underscores instead of dots. A member of null has no members: its columns are empty.
 */
export class CsvTable {
  /** The first record: the columns' heads. */
  readonly head: string;
  private readonly paths: readonly string[][];

  constructor(columns: readonly string[]) {
    this.head = csvRecord(columns.map((column) => column.replaceAll('.', '_')));
    this.paths = columns.map((column) => column.split('.'));
  }

  record(row: object): string {
    return csvRecord(this.paths.map((path) => cellAt(row, path)));
  }
}

function cellAt(row: object, path: readonly string[]): CsvCell {
  let value: unknown = row;
  for (const name of path) value = (value as Record<string, unknown> | null)?.[name];
  const number = amountText(value);
  return number === undefined ? (value as CsvCell) : { number };
}
