import { ServiceError } from '@app/errors';

/**
 * A place in a list that is ordered by `created_at desc, id desc`: the last row that the caller has seen. `createdAt` is
 * the timestamp as PostgreSQL spells it, to the microsecond: milliseconds would skip or repeat rows.
 */
export interface Cursor {
  createdAt: string;
  id: string;
}

/** An opaque text for a cursor. */
export function encodeCursor({ createdAt, id }: Cursor): string {
  return Buffer.from(JSON.stringify([createdAt, id])).toString('base64url');
}

/** A time as PostgreSQL spells it in UTC, or as RFC 3339 does. */
const TIMESTAMP = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(\.\d{1,6})?(Z|\+00)$/;
const ID = { integer: /^\d{1,9}$/, uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/ };

/** Reads a cursor that a caller sends back. @throws ServiceError invalid_request for a text that is none of ours. */
export function decodeCursor(text: string, id: keyof typeof ID): Cursor {
  const [createdAt, key] = parsed(text);
  if (typeof createdAt === 'string' && isTime(createdAt) && typeof key === 'string' && ID[id].test(key)) {
    return { createdAt, id: key };
  }
  throw new ServiceError('invalid_request', 'The cursor is not one that this list returned', {
    errors: [{ pointer: '/cursor', detail: 'must be a next_cursor of this list' }],
  });
}

function parsed(text: string): unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    return Array.isArray(value) && value.length === 2 ? value : [];
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
