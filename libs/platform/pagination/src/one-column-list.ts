import { cursorParts, cursorText, isInCalendar, listMark, noCursor, type Page, type PageRequest } from './cursors';

/** The form of a list's keys: no other text reaches a statement, where it would be an error of the database. */
const KEY = {
  uuid: (text: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text),
  number: (text: string) => /^\d{1,18}$/.test(text),
  day: isDay,
  month: (text: string) => isDay(`${text}-01`),
  text: (text: string) => text.length > 0 && text.length <= 200 && !text.includes('\0'),
};

function isDay(text: string): boolean {
  return /^(?!0000)\d{4}-\d\d-\d\d$/.test(text) && isInCalendar(text);
}

/** Rows that are read at a time: few enough that other customers' reads do not wait for them. */
const PORTION = 500;

/** A list that is ordered by one column without equal values: its key. */
export interface OneColumnList<Row> {
  /** Names the list: cursors are of no use under another name, or other filters. */
  name: string;
  filters: readonly unknown[];
  key: keyof typeof KEY;
  keyOf: (row: Row) => string;
  /** Reads rows behind the one with a key, or from the beginning. */
  read: (count: number, after: string | undefined) => Promise<Row[]>;
}

/** Reads a page. @throws ServiceError invalid_request for a cursor that this list did not give under these filters */
export async function oneColumnPage<Row>(list: OneColumnList<Row>, { limit, cursor }: PageRequest): Promise<Page<Row>> {
  const mark = listMark(list.name, list.filters);
  const after = cursor === undefined ? undefined : keyIn(cursor, list.key, mark);
  const rows = await list.read(limit + 1, after);
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  const hasMore = rows.length > limit;
  return { items, hasMore, nextCursor: hasMore && last ? cursorText([list.keyOf(last)], mark) : null };
}

/** All rows, or those behind the one with a key, read in portions while they are consumed: no transaction lasts from one to the next. */
export async function* allRows<Row>(
  { keyOf, read }: OneColumnList<Row>,
  { after, portion = PORTION }: { after?: string; portion?: number } = {},
): AsyncGenerator<Row[]> {
  for (;;) {
    const rows = await read(portion, after);
    const last = rows.at(-1);
    if (last) yield rows;
    if (!last || rows.length < portion) return;
    after = keyOf(last);
  }
}

function keyIn(cursor: string, kind: keyof typeof KEY, mark: string): string {
  const [key = ''] = cursorParts(cursor, 1, mark);
  if (!KEY[kind](key)) throw noCursor();
  return key;
}
