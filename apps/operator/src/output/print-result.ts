import Table from 'cli-table3';
import { visibleJson, visibleLines, visibleText } from '@platform/logging';
import { timeText } from '@platform/time';

type Row = Record<string, unknown>;

/**
 * Prints a result: one JSON value for scripts, a table or a list of fields for people. Escapes control characters:
 * customers write much of the text, and a terminal would obey them.
 */
export function printResult(result: object, asJson: boolean): void {
  const plain = snakeCased(result);
  process.stdout.write(`${asJson ? visibleJson(JSON.stringify(plain, null, 2)) : readable(plain as Row | Row[])}\n`);
}

function readable(result: Row | Row[]): string {
  if (!Array.isArray(result))
    return table(
      [],
      // Continuation lines are indented below their field's name, so that none can pass for another field.
      Object.entries(result).map(([name, value]) => [visibleText(name), visibleLines(plainCell(value))]),
    );
  const [first] = result;
  if (!first) return '(none)';
  const names = Object.keys(first);
  return table(
    names.map(visibleText),
    result.map((row) => names.map((name) => visibleText(plainCell(row[name])))),
  );
}

function table(head: string[], rows: string[][]): string {
  const lines = new Table({ head, style: { head: [], border: [], compact: true }, chars: PLAIN });
  lines.push(...rows);
  return lines.toString();
}

/** Two spaces between columns and no lines, so that the table can be selected and searched. */
const PLAIN = Object.fromEntries(
  ['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right', 'left', 'left-mid']
    .concat(['mid', 'mid-mid', 'right', 'right-mid'])
    .map((name) => [name, ''])
    .concat([['middle', ' ']]),
) as Record<string, string>;

function plainCell(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (Array.isArray(value)) return value.map(plainCell).join(value.every(isObject) ? '\n' : ' ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

function snakeCased(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snakeCased);
  if (value instanceof Date) return timeText(value);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      // The keys of JSON that an operator stored are not changed to snake case.
      name === 'config' || name === 'metadata' ? part : snakeCased(part),
    ]),
  );
}
