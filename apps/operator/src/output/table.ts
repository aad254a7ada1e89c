import Table from 'cli-table3';
import { visibleLines, visibleText } from '@platform/logging';
import { shortDecimal } from '@platform/money';
import type { ServiceCommand } from '../commands/command';
import { isAmount } from './amount-columns';

/** A record to print: its names in snake case, as in JSON. */
export type Row = Record<string, unknown>;

/** The width of a terminal, and of a page. */
const TABLE_WIDTH = 120;

const GAP = '  ';
/** No column of texts gets narrower. */
const LEAST_WIDTH = 10;
/** Rows that are laid out at a time. */
const PORTION = 500;
/** Columns that people copy or compare are never cut. */
const WHOLE = /(^id|_id|^number|_number|_at|_date|^sequence|^status|^active|(^|_)code)$/;

/** Two spaces between columns and no lines, so that the table can be selected and searched. */
const PLAIN = Object.fromEntries(
  ['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right', 'left', 'left-mid']
    .concat(['mid', 'mid-mid', 'right', 'right-mid'])
    .map((name) => [name, ''])
    .concat([['middle', GAP]]),
) as Record<string, string>;

/** A list as a table: the columns of the command, or with `wide` all of them, none cut. */
export function listTable(rows: readonly Row[], { columns, moreColumns = [] }: ServiceCommand, wide: boolean): string {
  const [first] = rows;
  if (!first) return '';
  const names = columns ? [...columns, ...(wide ? moreColumns : [])] : Object.keys(first);
  const cells = rows.map((row) => names.map((name) => visibleText(cell(name, row[name], wide))));
  return table(names.map(visibleText), cells, wide ? undefined : TABLE_WIDTH);
}

/** A record as a list of its fields. */
export function fields(record: Row): string {
  // Continuation lines are indented below their field's name, so that none can pass for another field.
  return table(
    [],
    Object.entries(record).map(([name, value]) => [visibleText(name), visibleLines(cellText(value))]),
  );
}

/** A time is shown to the minute, an amount without zeros at its end. */
function cell(column: string, value: unknown, wide: boolean): string {
  const text = cellText(value);
  if (wide) return text;
  if (isAmount(column, value) && /\.\d{6,}$/.test(value)) return shortDecimal(value);
  return text.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d(\.\d+)?Z$/, '$1 $2Z');
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (Array.isArray(value)) return value.map(cellText).join(value.every(isObject) ? '\n' : ' ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

/** A table of lines; `width` is its greatest width: longer texts end with an ellipsis. */
function table(head: string[], rows: string[][], width = Infinity): string {
  const style = { head: [], border: [], compact: true, 'padding-left': 0, 'padding-right': 0 };
  const colWidths = head.length > 0 && Number.isFinite(width) ? fit(head, rows, width) : [];
  // Of columns whose width is known portions make the same lines, and the time does not grow with the square of the rows.
  const portion = colWidths.length > 0 ? PORTION : rows.length;
  const parts: string[] = [];
  for (let from = 0; from === 0 || from < rows.length; from += portion) {
    const lines = new Table({ head: from === 0 ? head : [], style, chars: PLAIN, colWidths });
    for (const row of rows.slice(from, from + portion)) lines.push(row);
    parts.push(lines.toString());
  }
  return parts.join('\n').replaceAll(/ +$/gm, '');
}

/** Widths of columns: the widest ones that may be cut give way. */
function fit(head: string[], rows: string[][], width: number): number[] {
  const widths = head.map((name, at) =>
    rows.reduce((most, row) => Math.max(most, displayWidth(row[at] ?? '')), displayWidth(name)),
  );
  const total = () => widths.reduce((sum, one) => sum + one, 0) + GAP.length * (head.length - 1);
  while (total() > width) {
    const cuttable = widths.map((one, at) => (WHOLE.test(head[at] ?? '') || one <= LEAST_WIDTH ? 0 : one));
    const widest = Math.max(...cuttable);
    if (widest === 0) break;
    widths[cuttable.indexOf(widest)] = widest - 1;
  }
  return widths;
}

/** Columns that a text takes in a terminal. */
function displayWidth(text: string): number {
  return [...text].reduce((sum, character) => {
    if (/\p{M}/u.test(character)) return sum;
    return sum + (/[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{Emoji_Presentation}]/u.test(character) ? 2 : 1);
  }, 0);
}
