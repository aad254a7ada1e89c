import { type Cursor, encodeCursor } from './cursor';

/** Limit and cursor of a page. */
export interface PageRequest {
  /** Rows at most, 1 to 200. */
  limit: number;
  /** The cursor of the page before; undefined for the first page. */
  cursor?: string;
}

/** A page of a list, newest first. */
export interface Page<Item> {
  items: Item[];
  hasMore: boolean;
  nextCursor: string | null;
}

/**
 * Makes a page of rows that were read with `limit + 1`: the extra row tells that there is more. `placeOf` returns a
 * row's position in the order, `list` is the hash of the list and its filters.
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
