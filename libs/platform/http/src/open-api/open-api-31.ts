type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/**
 * Converts what the generator writes as OpenAPI 3.0: `nullable` becomes the type `null`. Bytes stay a string of the
 * format `binary`: version 3.1 would leave their schema empty, but client generators know the format.
 */
export function asOpenApi31<Part>(document: Part): Part {
  return convert(document as Json) as Part;
}

function convert(node: Json): Json {
  if (Array.isArray(node)) return node.map(convert);
  if (typeof node !== 'object' || node === null) return node;
  const { nullable, ...rest } = node;
  const converted = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, convert(value)]));
  if (nullable !== true) return converted;
  if (Array.isArray(converted.enum)) converted.enum = [...converted.enum, null];
  if (converted.type !== undefined) return { ...converted, type: [converted.type, 'null'].flat() };
  return { oneOf: [converted, { type: 'null' }] };
}
