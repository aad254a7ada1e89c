import { cursorParts, cursorText, isInCalendar, listMark, noCursor } from './cursors';

/** Which page of an inbox is wanted, in which order. */
export interface InboxRequest {
  /** Rows at most, 1 to 200. */
  limit: number;
  /** The cursor of the page before; undefined for the first page. */
  cursor?: string;
  /** The name of an order, with `-` in front for descending; undefined for the inbox's own. */
  sort?: string;
}

/** A page of an inbox, with the number of rows in all pages. */
export interface InboxPage<Row> {
  items: Row[];
  hasMore: boolean;
  nextCursor: string | null;
  /** All rows, or {@link MOST_COUNTED} if there are more. */
  total: number;
  totalIsExact: boolean;
  map<Other>(change: (row: Row) => Other): InboxPage<Other>;
}

/** Rows are counted to this number. */
export const MOST_COUNTED = 10_000;

/** The form of the values that rows are ordered by, times in UTC: no other text of a cursor reaches a statement. */
const SHAPES = {
  time: /^(?!0000)\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,6})?\+00$/,
  day: /^(?!0000)\d{4}-\d\d-\d\d$/,
  number: /^-?\d{1,24}(\.\d{1,20})?$/,
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  text: /^[^\0]{0,500}$/s,
};

export type SortKind = keyof typeof SHAPES;

/** The last row of a page: the value that rows are ordered by, and its id. */
export interface InboxPlace {
  value: string;
  id: string;
}

/** The name of an inbox with its filters and order: a cursor is of no use for another one. */
export function inboxMark(name: string, filters: readonly unknown[], sort: string): string {
  return listMark(name, [...filters, sort]);
}

/** The place that a cursor names. @throws ServiceError invalid_request */
export function placeOfCursor(cursor: string, mark: string, kinds: { value: SortKind; id: SortKind }): InboxPlace {
  const [value = '', id = ''] = cursorParts(cursor, 2, mark);
  if (!SHAPES[kinds.value].test(value) || !SHAPES[kinds.id].test(id) || !exists(value, kinds.value)) throw noCursor();
  return { value, id };
}

/** Makes a page of rows that were read with `limit + 1`. */
export function inboxPage<Row>(
  rows: readonly { row: Row; place: InboxPlace }[],
  { limit, mark, counted }: { limit: number; mark: string; counted: number },
): InboxPage<Row> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const hasMore = rows.length > limit;
  return pageOf({
    items: shown.map(({ row }) => row),
    hasMore,
    nextCursor: hasMore && last ? cursorText([last.place.value, last.place.id], mark) : null,
    total: Math.min(counted, MOST_COUNTED),
    totalIsExact: counted <= MOST_COUNTED,
  });
}

/** All rows of a list that is short: one page. */
export function wholeInbox<Row>(rows: Row[]): InboxPage<Row> {
  return pageOf({ items: rows, hasMore: false, nextCursor: null, total: rows.length, totalIsExact: true });
}

function pageOf<Row>(page: Omit<InboxPage<Row>, 'map'>): InboxPage<Row> {
  return { ...page, map: (change) => pageOf({ ...page, items: page.items.map(change) }) };
}

/** 31 February has the form of a day, and PostgreSQL refuses it. */
function exists(value: string, kind: SortKind): boolean {
  if (kind !== 'time' && kind !== 'day') return true;
  return isInCalendar(value.slice(0, 10), kind === 'day' ? undefined : value.slice(11, 19));
}
