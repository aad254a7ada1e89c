/** A field of a composite value. */
type Field = string | number | boolean | Buffer | null;

/** Texts that need no quotes: most fields are ids and numbers. */
const PLAIN = /^[\w.:~+/=@-]+$/;

/**
 * An array of composite values as PostgreSQL reads it: each row's fields in the order of the type's. What is quoted is
 * quoted twice, as a field of its row and with the row as an element of the array.
 * https://www.postgresql.org/docs/current/rowtypes.html#ROWTYPES-IO-SYNTAX
 */
export function compositeArray(rows: readonly (readonly Field[])[]): string {
  return `{${rows.map((row) => `"(${row.map(textOf).join(',')})"`).join(',')}}`;
}

function textOf(field: Field): string {
  if (field === null) return '';
  // As quoted twice: hexadecimal digits need no look.
  if (Buffer.isBuffer(field)) return `\\"\\\\\\\\x${field.toString('hex')}\\"`;
  if (typeof field !== 'string' || PLAIN.test(field)) return String(field);
  return escaped(`"${escaped(field)}"`);
}

function escaped(text: string): string {
  return text.replace(/["\\]/g, '\\$&');
}
