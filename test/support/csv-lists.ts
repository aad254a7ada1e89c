/** Calls a path of the API with a token. */
type Call = (path: string, init?: RequestInit) => Promise<Response>;

/** Reads all pages of a list. Amounts stay texts: a binary number does not hold all their digits. */
export async function readAllPages(call: Call, path: string, limit = 200): Promise<Record<string, unknown>[]> {
  const rows: Record<string, unknown>[] = [];
  for (let cursor = ''; ;) {
    const reply = await call(`${path}${path.includes('?') ? '&' : '?'}limit=${limit}${cursor}`);
    const text = await reply.text();
    if (reply.status !== 200) throw new Error(`${path} answered ${reply.status}: ${text}`);
    const { data, next_cursor } = parseExactly(text) as {
      data: Record<string, unknown>[];
      next_cursor: string | null;
    };
    rows.push(...data);
    if (next_cursor === null) return rows;
    cursor = `&cursor=${next_cursor}`;
  }
}

/** Parses JSON whose numbers with a decimal point become texts, digit by digit. */
export function parseExactly(text: string): unknown {
  return JSON.parse(text, (_, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' && context?.source?.includes('.') ? context.source : value,
  );
}

/** Reads a list as CSV. @returns its records by the names of the columns */
export async function readCsv(call: Call, path: string): Promise<Record<string, string>[]> {
  const reply = await call(path, { headers: { accept: 'text/csv' } });
  const text = await reply.text();
  if (reply.status !== 200) throw new Error(`${path} answered ${reply.status}: ${text}`);
  const [head = [], ...records] = parseCsv(text);
  return records.map((cells) => Object.fromEntries(cells.map((cell, index) => [head[index] ?? '', cell])));
}

/** Parses CSV as RFC 4180 has it. @throws for anything else */
export function parseCsv(text: string): string[][] {
  const records: string[][] = [];
  let record: string[] = [];
  let rest = text;
  while (rest !== '') {
    const [cell, quoted, plain = '', end = ''] = /^(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/.exec(rest) ?? [];
    if (cell === undefined) throw new Error(`No CSV: ${rest.slice(0, 100)}`);
    record.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === '\r\n') {
      records.push(record);
      record = [];
    }
    rest = rest.slice(cell.length);
  }
  return records;
}

/** A row of JSON as the record that CSV has of it; nothing that a spreadsheet would run may be in it. */
export function asRecord(row: Record<string, unknown>, prefix = ''): Record<string, string> {
  return Object.fromEntries(
    Object.entries(row).flatMap(([name, value]): [string, string][] =>
      typeof value === 'object' && value !== null
        ? Object.entries(asRecord(value as Record<string, unknown>, `${prefix}${name}_`))
        : [[prefix + name, value === null ? '' : String(value as string | number | boolean)]],
    ),
  );
}
