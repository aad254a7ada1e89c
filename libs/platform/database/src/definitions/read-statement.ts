import type { PreparedStatement } from '../connections/prepared-statement';
import type { Decoder } from './decoders';

/** What a read can be given: what PostgreSQL reads from its text form. */
export type ReadValue = string | number | null | undefined;

/** A prepared statement that only reads, and how each column of its rows is decoded, in order. */
export interface ReadStatement<Row> extends PreparedStatement {
  readonly columns: readonly (readonly [property: keyof Row & string, decode: Decoder<unknown>])[];
}

/** The decoders of a row's columns, by property, in the order in which the statement selects them. */
export type Columns<Row> = { readonly [Property in keyof Row]: Decoder<Exclude<Row[Property], null>> };

/** A statement written by hand. What entities describe is read by {@link EntityReadsService} instead. */
export function readStatement<Row>(name: string, text: string, columns: Columns<Row>): ReadStatement<Row> {
  return { name, text, columns: Object.entries(columns) as [keyof Row & string, Decoder<unknown>][] };
}
