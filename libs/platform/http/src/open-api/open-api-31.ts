type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/**
 * Mends what the generator still writes as OpenAPI 3.0 did: `nullable` becomes the type `null`. Bytes stay a string of the
 * format `binary`: version 3.1 would leave their schema empty, but generators of clients know the format.
 */
export function asOpenApi31<Part>(document: Part): Part {
  return mend(document as Json) as Part;
}

function mend(node: Json): Json {
  if (Array.isArray(node)) return node.map(mend);
  if (typeof node !== 'object' || node === null) return node;
  const { nullable, ...rest } = node;
  const mended = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, mend(value)]));
  if (nullable !== true) return mended;
  if (Array.isArray(mended.enum)) mended.enum = [...mended.enum, null];
  if (mended.type !== undefined) return { ...mended, type: [mended.type, 'null'].flat() };
  return { oneOf: [mended, { type: 'null' }] };
}
