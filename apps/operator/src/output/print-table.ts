import { visibleLines, visibleText } from '@platform/logging';
import { shortDecimal } from '@platform/money';
import type { ServiceCommand } from '../commands/command';
import { cellText } from './plain-value';
import { table, TABLE_WIDTH } from './table';

export type Row = Record<string, unknown>;

/** A list as a table: the columns of the command, or with `wide` all of them, none cut. */
export function listTable(rows: readonly Row[], { columns, moreColumns = [] }: ServiceCommand, wide: boolean): string {
  const [first] = rows;
  if (!first) return '(none)';
  const names = columns ? [...columns, ...(wide ? moreColumns : [])] : Object.keys(first);
  const cells = rows.map((row) => names.map((name) => visibleText(cell(row[name], wide))));
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
function cell(value: unknown, wide: boolean): string {
  const text = cellText(value);
  if (wide) return text;
  if (/^-?\d+\.\d{6,}$/.test(text)) return shortDecimal(text);
  return text.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d(\.\d+)?Z$/, '$1 $2Z');
}
