import { types } from 'pg';

const TIMESTAMPTZ_OID = 1184;

/**
 * Reads a point in time as RFC 3339 text in UTC, to the microsecond, as PostgreSQL has it. A `Date` would cost more than
 * all the rest of a row, lose the microseconds that a cursor needs, and be turned into this text again in the end.
 */
export const TEXT_TIMES = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === TIMESTAMPTZ_OID ? rfc3339 : (types.getTypeParser(oid, format) as (text: string) => unknown),
};

/** PostgreSQL writes `2026-01-31 12:00:00.1234+00`, without zeros at the end; connections are set to UTC. */
function rfc3339(text: string): string {
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${text.slice(20, -3).padEnd(6, '0')}Z`;
}
