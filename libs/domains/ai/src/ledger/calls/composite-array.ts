/** A field of a composite value. */
type Field = string | number | boolean | Buffer | null;

/**
 * An array of composite values as PostgreSQL reads it: each row's fields in the order of the type's.
 * https://www.postgresql.org/docs/current/rowtypes.html#ROWTYPES-IO-SYNTAX
 */
export function compositeArray(rows: readonly (readonly Field[])[]): string {
  const composite = (row: readonly Field[]) =>
    `(${row.map((field) => (field === null ? '' : quoted(textOf(field)))).join(',')})`;
  return `{${rows.map((row) => quoted(composite(row))).join(',')}}`;
}

function textOf(field: NonNullable<Field>): string {
  return Buffer.isBuffer(field) ? `\\x${field.toString('hex')}` : String(field);
}

function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}
