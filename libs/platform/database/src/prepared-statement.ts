/** A statement that each connection parses and plans once, identified by its name. */
export interface PreparedStatement {
  readonly name: string;
  readonly text: string;
}

/** Names a statement. Each name must always have the same text; name it after its place, such as `services.list`. */
export function prepared(name: string, text: string): PreparedStatement {
  return { name, text };
}

/** How a column's text, as PostgreSQL writes it, becomes the value of a row. */
export type Decoder<T> = (text: string) => T;

const text: Decoder<string> = (given) => given;

/** Length of a time with all six digits, as nearly all have: nothing is to be padded. */
const WHOLE_TIME = '2026-01-31 12:00:00.123456+00'.length;

/**
 * `2026-01-31 12:00:00.1234+00`, as PostgreSQL writes a time without zeros at the end, as RFC 3339 text; connections are set
 * to UTC. A `Date` would cost more than the rest of a row, and lose the microseconds that a cursor needs.
 */
const time: Decoder<string> = (given) =>
  given.length === WHOLE_TIME
    ? `${given.slice(0, 10)}T${given.slice(11, 26)}Z`
    : `${given.slice(0, 10)}T${given.slice(11, 19)}.${given.slice(20, -3).padEnd(6, '0')}Z`;

/** The decoders that reads have. `numeric` and `bigint` stay text: a binary number cannot hold them all. */
export const decoders = {
  text,
  number: Number as Decoder<number>,
  boolean: (given: string) => given === 't',
  json: JSON.parse as Decoder<unknown>,
  /** An array of words, which PostgreSQL writes without quotes: `{one,two}`. */
  words: (given: string) => (given === '{}' ? [] : given.slice(1, -1).split(',')),
  time,
};

const BY_TYPE: Readonly<Record<string, Decoder<unknown>>> = {
  uuid: text,
  text,
  numeric: text,
  bigint: text,
  date: text,
  integer: decoders.number,
  smallint: decoders.number,
  boolean: decoders.boolean,
  json: decoders.json,
  jsonb: decoders.json,
  timestamptz: time,
  'text[]': decoders.words,
};

/** The decoder of a type, as TypeORM names it. @throws for a type that no read has had yet */
export function decoderOf(type: string): Decoder<unknown> {
  const decoder = BY_TYPE[type];
  if (!decoder) throw new Error(`No decoder for the column type ${type}`);
  return decoder;
}

/** A value of a read: PostgreSQL reads it from its text form. */
export type ReadValue = string | number | null | undefined;

/** A prepared statement, and how each column of its rows is decoded, in order. */
export interface DecodedStatement<Row> extends PreparedStatement {
  readonly columns: readonly (readonly [property: keyof Row & string, decode: Decoder<unknown>])[];
}

/** A statement that only reads. */
export type ReadStatement<Row> = DecodedStatement<Row>;

/** The decoders of a row's columns, by property, in the order in which the statement selects them. */
export type Columns<Row> = { readonly [Property in keyof Row]: Decoder<Exclude<Row[Property], null>> };

/** A statement written by hand. Entities' rows are read with {@link EntityReadsService} instead. */
export function readStatement<Row>(name: string, text: string, columns: Columns<Row>): ReadStatement<Row> {
  return { name, text, columns: Object.entries(columns) as [keyof Row & string, Decoder<unknown>][] };
}

/** A row of a statement's reply. @throws if it has other columns than the statement describes */
export function decodeRow<Row>({ name, columns }: DecodedStatement<Row>, texts: readonly (string | null)[]): Row {
  if (texts.length !== columns.length)
    throw new Error(`${name} reads ${texts.length} columns and describes ${columns.length}`);
  const row: Record<string, unknown> = {};
  // By index: this runs for every column of every row, and an iterator makes objects for each.
  for (let index = 0; index < columns.length; index++) {
    const column = columns[index] as (typeof columns)[number];
    const text = texts[index] as string | null;
    row[column[0]] = text === null ? null : column[1](text);
  }
  return row as Row;
}
