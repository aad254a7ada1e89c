import { types } from 'pg';
import { decoders } from '../definitions/decoders';

const TIMESTAMPTZ_OID = 1184;

/** The driver's types for rows that become replies: points in time as reads have them. */
export const TEXT_TIMES = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === TIMESTAMPTZ_OID ? decoders.time : (types.getTypeParser(oid, format) as (text: string) => unknown),
};
