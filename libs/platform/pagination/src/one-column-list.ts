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
  /** The days that the list is of, if they follow from the time of the first page: its cursors have them, for {@link daysOfCursor}. */
  days?: Days;
  /** Reads rows behind the one with a key, or from the beginning. */
  read: (count: number, after: string | undefined) => Promise<Row[]>;
}

/** The first and the last day of a list. */
export interface Days {
  from: string;
  to: string;
}

/** Reads a page. @throws ServiceError invalid_request for a cursor that this list did not give under these filters */
export async function oneColumnPage<Row>(list: OneColumnList<Row>, { limit, cursor }: PageRequest): Promise<Page<Row>> {
  const mark = listMark(list.name, list.filters);
  const after = cursor === undefined ? undefined : placeIn(cursor, list.key, mark).key;
  const rows = await list.read(limit + 1, after);
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  const hasMore = rows.length > limit;
  const days = list.days ? [list.days.from, list.days.to] : [];
  return { items, hasMore, nextCursor: hasMore && last ? cursorText([list.keyOf(last), ...days], mark) : null };
}

/**
 * The days of the page that gave a cursor: those of the pages behind it, though another day or month has begun since.
 * @returns undefined for a cursor without days, as former releases gave @throws as {@link oneColumnPage}
 */
export function daysOfCursor(
  cursor: string,
  { name, filters, key }: Pick<OneColumnList<unknown>, 'name' | 'filters' | 'key'>,
): Days | undefined {
  return placeIn(cursor, key, listMark(name, filters)).days;
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

/** The place that a cursor names, and the days of its list, if it has any. */
function placeIn(cursor: string, kind: keyof typeof KEY, mark: string): { key: string; days?: Days } {
  const [key = '', from, to] = cursorParts(cursor, [1, 3], mark);
  if (!KEY[kind](key)) throw noCursor();
  if (from === undefined || to === undefined) return { key };
  if (!isDay(from) || !isDay(to)) throw noCursor();
  return { key, days: { from, to } };
}
