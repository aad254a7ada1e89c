type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/**
 * Mends what the generator still writes as OpenAPI 3.0 did: `nullable` becomes the type `null`, and bytes, which are no
 * JSON, have no schema.
 */
export function asOpenApi31<Part>(document: Part): Part {
  return mend(document as Json) as Part;
}

function mend(node: Json): Json {
  if (Array.isArray(node)) return node.map(mend);
  if (typeof node !== 'object' || node === null) return node;
  const { nullable, ...rest } = node;
  const mended = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, mend(value)]));
  if (mended.type === 'string' && mended.format === 'binary') return {};
  if (nullable !== true) return mended;
  if (mended.type !== undefined) return { ...mended, type: [mended.type, 'null'].flat() };
  return { oneOf: [mended, { type: 'null' }] };
}
