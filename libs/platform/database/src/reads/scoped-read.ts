import type { PreparedStatement } from '../connections/prepared-statement';

/** What a read can be given: what PostgreSQL reads from its text form. */
export type ReadValue = string | number | boolean | Date | null | undefined | readonly string[];

/** A row as it was read; times are RFC 3339 text. */
export type ReadRow = Record<string, unknown>;

/** A statement to be run as one customer, and who waits for its rows. */
export interface ScopedRead {
  readonly customerId: string;
  readonly statement: PreparedStatement;
  readonly values: (string | null)[];
  readonly resolve: (rows: ReadRow[]) => void;
  readonly reject: (error: Error) => void;
  /** How often it was sent and never ran. */
  repeats: number;
}

/** Values in the text form that goes over the wire. */
export function toWire(values: readonly ReadValue[]): (string | null)[] {
  return values.map((value) => {
    if (value === null || value === undefined) return null;
    if (value instanceof Date) return value.toISOString();
    if (typeof value === 'object') return `{${value.map((item) => `"${item.replace(/["\\]/g, '\\$&')}"`).join(',')}}`;
    return String(value);
  });
}
