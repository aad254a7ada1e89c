import { hash } from 'node:crypto';
import { ServiceError } from '@platform/errors';

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

/**
 * A position in a list that is ordered by `created_at desc, id desc`: the last row of the previous page. `createdAt` is
 * PostgreSQL's text of the timestamp, to the microsecond: milliseconds would skip or repeat rows.
 */
export interface Cursor {
  createdAt: string;
  id: string;
}

/** Encodes a cursor as opaque text. @param list the hash of its list and filters (see {@link listMark}) */
export function encodeCursor({ createdAt, id }: Cursor, list: string): string {
  return cursorText([createdAt, id], list);
}

/** A timestamp of PostgreSQL in UTC, or of RFC 3339. */
const TIMESTAMP = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(\.\d{1,6})?(Z|\+00)$/;
const ID = { integer: /^\d{1,9}$/, uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/ };

/**
 * Decodes a cursor of a caller. @param list the hash of the list with its filters. @throws ServiceError invalid_request
 * for a text that is not a cursor, or belongs to another list
 */
export function decodeCursor(text: string, kind: keyof typeof ID, list: string): Cursor {
  const [createdAt = '', id = ''] = cursorParts(text, 2, list);
  if (!isTime(createdAt) || !ID[kind].test(id)) throw noCursor();
  return { createdAt, id };
}

/**
 * Whether PostgreSQL accepts the timestamp: 31 February matches the pattern but does not exist, nor does the year 0.
 */
function isTime(text: string): boolean {
  const [, day = '', clock = ''] = TIMESTAMP.exec(text) ?? [];
  return isInCalendar(day, clock) && !day.startsWith('0000');
}

/** Whether a day, `YYYY-MM-DD`, and a time of day exist: `Date` takes 31 February for 3 March. */
export function isInCalendar(day: string, clock = '00:00:00'): boolean {
  const time = new Date(`${day}T${clock}Z`);
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(`${day}T${clock}`);
}

/**
 * 48 bits: the hash only distinguishes lists and filters and need not resist forgery; which customer's rows are read
 * does not depend on it.
 */
const MARK_LENGTH = 8;

/** A short hash of a list and its filters: a cursor is valid for the same ones only. */
export function listMark(name: string, filters: readonly unknown[]): string {
  return hash('sha256', JSON.stringify([name, filters.map((value) => value ?? null)]), 'base64url').slice(
    0,
    MARK_LENGTH,
  );
}

/** The parts of a cursor as opaque text. @param list the hash of its list and filters (see {@link listMark}) */
export function cursorText(parts: readonly string[], list: string): string {
  return Buffer.from(JSON.stringify([...parts, list])).toString('base64url');
}

/**
 * The parts of a caller's cursor, texts that still have to be checked. @param counts how many there may be. @param list the hash of the
 * list with its filters. @throws ServiceError invalid_request for a text that is not a cursor, or belongs to another list
 */
export function cursorParts(text: string, counts: number | readonly number[], list: string): string[] {
  const parts = textsIn(text);
  const mark = parts.pop();
  if (mark === undefined || parts.length === 0) throw noCursor();
  if (mark !== list) throw refused('cursor comes from another list or other filters; begin again without it');
  if (![counts].flat().includes(parts.length)) throw noCursor();
  return parts;
}

/** The error for a text that no list gave as a cursor. */
export function noCursor(): ServiceError {
  return refused('cursor must be a next_cursor of this list, sent back as it is');
}

function refused(detail: string): ServiceError {
  return new ServiceError('invalid_request', detail, { errors: [{ pointer: '/cursor', detail }] });
}

function textsIn(text: string): string[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    return Array.isArray(value) && value.every((part) => typeof part === 'string') ? value : [];
  } catch {
    return [];
  }
}
