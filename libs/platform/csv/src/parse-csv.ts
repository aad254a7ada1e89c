/** A line of a CSV text: its number, beginning with 1, and its cells. */
export interface CsvLine {
  line: number;
  cells: string[];
}

/** The text is not CSV. */
export class CsvFault extends Error {}

/**
 * Reads CSV (RFC 4180) as spreadsheets write it: separated by commas, semicolons or tabs, whichever the first line has, with
 * a byte order mark or without, and any line ends. Empty lines are left out. @throws CsvFault
 */
export function parseCsv(text: string): CsvLine[] {
  const whole = text.replace(/^\uFEFF/, '');
  const [first = ''] = whole.split(/\r?\n/, 1);
  const separator = [',', ';', '\t'].find((one) => first.includes(one)) ?? ',';
  const lines: CsvLine[] = [];
  let cells: string[] = [];
  let line = 1;
  let began = 1;
  const end = () => {
    if (cells.some((cell) => cell.trim() !== '')) lines.push({ line: began, cells });
    cells = [];
  };
  const cell = new RegExp(
    `(?:"([^"]*(?:""[^"]*)*)"|([^"${separator}\\r\\n][^${separator}\\r\\n]*)?)(${separator}|\\r?\\n|$)`,
    'y',
  );
  for (;;) {
    const found = cell.exec(whole);
    if (!found) throw new CsvFault(`Line ${line}: a quote does not end, or something follows it`);
    const [, quoted, bare = '', ending] = found;
    cells.push(quoted === undefined ? bare : quoted.replaceAll('""', '"'));
    line += (quoted?.match(/\n/g) ?? []).length;
    if (ending === separator) continue;
    end();
    if (ending === '') return lines;
    line += 1;
    began = line;
  }
}
