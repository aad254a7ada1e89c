import { hash } from 'node:crypto';
import { ServiceError } from '@platform/errors';

/**
 * A place in a list that is ordered by `created_at desc, id desc`: the last row that the caller has seen. `createdAt` is
 * the timestamp as PostgreSQL spells it, to the microsecond: milliseconds would skip or repeat rows.
 */
export interface Cursor {
  createdAt: string;
  id: string;
}

/**
 * An opaque text for a cursor.
 * @param list the list that it belongs to, with its filters (see {@link listMark}).
 */
export function encodeCursor({ createdAt, id }: Cursor, list: string): string {
  return Buffer.from(JSON.stringify([createdAt, id, list])).toString('base64url');
}

/** A short mark of a list and what it is filtered by: a cursor is of use under the same ones only. */
export function listMark(name: string, filters: readonly unknown[]): string {
  return hash('sha256', JSON.stringify([name, filters.map((value) => value ?? null)]), 'base64url').slice(
    0,
    MARK_LENGTH,
  );
}

/** 48 bits: it need tell lists and filters apart, not withstand forgers; whose rows are read does not depend on it. */
const MARK_LENGTH = 8;
/** A time as PostgreSQL spells it in UTC, or as RFC 3339 does. */
const TIMESTAMP = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(\.\d{1,6})?(Z|\+00)$/;
const ID = { integer: /^\d{1,9}$/, uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/ };

/**
 * Reads a cursor that a caller sends back.
 * @param list the list that is read, with its filters.
 * @throws ServiceError invalid_request for a text that is none of ours, or of another list.
 */
export function decodeCursor(text: string, id: keyof typeof ID, list: string): Cursor {
  const [createdAt, key, mark] = parsed(text);
  const ours =
    typeof createdAt === 'string' && isTime(createdAt) && typeof key === 'string' && typeof mark === 'string';
  if (!ours) throw refused('cursor must be a next_cursor of this list, sent back as it is');
  if (mark !== list) throw refused('cursor comes from another list or other filters; begin again without it');
  if (!ID[id].test(key)) throw refused('cursor must be a next_cursor of this list, sent back as it is');
  return { createdAt, id: key };
}

function refused(detail: string): ServiceError {
  return new ServiceError('invalid_request', detail, { errors: [{ pointer: '/cursor', detail }] });
}

function parsed(text: string): unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    return Array.isArray(value) && value.length === 3 ? value : [];
  } catch {
    return [];
  }
}

/** Whether PostgreSQL would take it: the 31st of February has the form of a day, but is none. The year 0 is not either. */
function isTime(text: string): boolean {
  const [, day = '', clock = ''] = TIMESTAMP.exec(text) ?? [];
  const time = new Date(`${day}T${clock}Z`);
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(`${day}T${clock}`) && !day.startsWith('0000');
}
