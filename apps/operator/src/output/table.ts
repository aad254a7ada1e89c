import Table from 'cli-table3';

/** What fits a terminal, and a page. */
export const TABLE_WIDTH = 120;

const GAP = '  ';
/** No column of texts gets narrower. */
const LEAST_WIDTH = 10;
/** What is copied or compared is never cut. */
const WHOLE = /(^id|_id|^number|_number|_at|_date|^sequence|^status|^active)$/;

/** Two spaces between columns and no lines, so that the table can be selected and searched. */
const PLAIN = Object.fromEntries(
  ['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right', 'left', 'left-mid']
    .concat(['mid', 'mid-mid', 'right', 'right-mid'])
    .map((name) => [name, ''])
    .concat([['middle', GAP]]),
) as Record<string, string>;

/** A table of lines; `width` is how wide it may get: longer texts end with an ellipsis. */
export function table(head: string[], rows: string[][], width = Infinity): string {
  const style = { head: [], border: [], compact: true, 'padding-left': 0, 'padding-right': 0 };
  const colWidths = head.length > 0 && Number.isFinite(width) ? fit(head, rows, width) : [];
  const lines = new Table({ head, style, chars: PLAIN, colWidths });
  lines.push(...rows);
  return lines.toString().replaceAll(/ +$/gm, '');
}

/** Widths of columns: the widest ones that may be cut give way. */
function fit(head: string[], rows: string[][], width: number): number[] {
  const widths = head.map((name, at) => Math.max(...[name, ...rows.map((row) => row[at] ?? '')].map(displayWidth)));
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
