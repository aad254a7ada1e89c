import { cursorParts, cursorText, noCursor } from './cursor-text';

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
  const time = new Date(`${day}T${clock}Z`);
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(`${day}T${clock}`) && !day.startsWith('0000');
}
