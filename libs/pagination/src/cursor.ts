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

const TIMESTAMP = /^\d{4,6}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(\.\d{1,6})?(Z|[+-]\d\d(:?\d\d)?)$/;
const ID = { integer: /^\d{1,9}$/, uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/ };

/** Reads a cursor that a caller sends back. @throws ServiceError invalid_request for a text that is none of ours. */
export function decodeCursor(text: string, id: keyof typeof ID): Cursor {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    if (Array.isArray(parsed) && parsed.length === 2) {
      const [createdAt, key] = parsed as [unknown, unknown];
      if (typeof createdAt === 'string' && typeof key === 'string' && TIMESTAMP.test(createdAt) && ID[id].test(key)) {
        if (!Number.isNaN(Date.parse(createdAt.replace(/([+-]\d\d)$/, '$1:00')))) return { createdAt, id: key };
      }
    }
  } catch {
    // Not JSON: answered below.
  }
  throw new ServiceError('invalid_request', 'The cursor is not one that this list returned', {
    errors: [{ pointer: 'cursor', detail: 'must be a next_cursor of this list' }],
  });
}
