import { type Cursor, encodeCursor } from './cursor';

/** Which part of a list is asked for. */
export interface PageRequest {
  /** Rows at most, 1 to 200. */
  limit: number;
  /** Opaque text from the page before; the first page without. */
  cursor?: string;
}

/** A part of a list, newest first. */
export interface Page<Item> {
  items: Item[];
  hasMore: boolean;
  nextCursor: string | null;
}

/**
 * Makes a page of rows that were read with `limit + 1`: the row too many tells that there is more. `placeOf` gives a
 * row's place in the order, `list` is the mark of the list and its filters.
 */
export function paginate<Row, Item>(
  rows: Row[],
  limit: number,
  list: string,
  placeOf: (row: Row) => Cursor,
  toItem: (row: Row) => Item,
): Page<Item> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const hasMore = rows.length > limit;
  return { items: shown.map(toItem), hasMore, nextCursor: hasMore && last ? encodeCursor(placeOf(last), list) : null };
}
