/** The value of a cell. Numbers that a binary number cannot hold are passed as decimal texts in `{ number }`. */
export type CsvCell = string | number | boolean | null | undefined | { number: string };

/** What a spreadsheet takes for a formula: https://owasp.org/www-community/attacks/CSV_Injection */
const FORMULA = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;

/**
 * A record as RFC 4180 has it, with its line break. A text that a spreadsheet would run as a formula gets an apostrophe in
 * front; customers and their clients write texts such as request ids.
 */
export function csvRecord(cells: readonly CsvCell[]): string {
  return `${cells.map(cellText).join(',')}\r\n`;
}

function cellText(cell: CsvCell): string {
  if (cell === null || cell === undefined) return '';
  if (typeof cell === 'object') return cell.number;
  if (typeof cell !== 'string') return String(cell);
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
