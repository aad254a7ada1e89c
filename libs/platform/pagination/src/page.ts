import { encodeCursor } from './cursor';

/** Which page of a list: its limit and cursor, and the range of time that the list is read for. */
export interface PageRequest {
  /** Rows at most, 1 to 200. */
  limit: number;
  /** The cursor of the page before; undefined for the first page. */
  cursor?: string;
  /** Only items created at this moment or later, RFC 3339. */
  createdAfter?: string;
  /** Only items created before this moment, RFC 3339. */
  createdBefore?: string;
}

/** A page of a list, newest first. */
export interface Page<Item> {
  items: Item[];
  hasMore: boolean;
  nextCursor: string | null;
}

/**
 * Makes a page of rows that were read with `limit + 1`: the extra row tells that there is more. `list` is the hash of the list
 * and its filters.
 */
export function paginate<Row extends { id: string | number; createdAt: string }>(
  rows: Row[],
  limit: number,
  list: string,
): Page<Row> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  const hasMore = rows.length > limit;
  const nextCursor = hasMore && last ? encodeCursor({ createdAt: last.createdAt, id: String(last.id) }, list) : null;
  return { items, hasMore, nextCursor };
}
