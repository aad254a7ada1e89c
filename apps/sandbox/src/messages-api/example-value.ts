/** A JSON schema, as far as the sandbox follows it. */
interface Schema {
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  properties?: Record<string, unknown>;
  items?: unknown;
  minItems?: number;
  anyOf?: unknown[];
  oneOf?: unknown[];
  allOf?: unknown[];
  format?: string;
  $ref?: string;
}

/** Schemas within each other: a schema may contain itself. */
const DEEPEST = 8;
const MOST_ITEMS = 10;

const BY_FORMAT: Record<string, string> = {
  'date-time': '2026-01-31T12:00:00Z',
  date: '2026-01-31',
  time: '12:00:00Z',
  email: 'sandbox@example.com',
  uuid: '3f0c1d9e-7d2a-4f0e-9a51-0f9f3c2f8a11',
  uri: 'https://example.com',
};

/** A value that a JSON schema allows; the same for the same schema. @param root the schema that references lead into */
export function exampleOf(given: unknown, root: unknown, depth = 0): unknown {
  const schema = resolve(given, root);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.default !== undefined) return schema.default;
  const [variant] = schema.anyOf ?? schema.oneOf ?? [];
  if (variant !== undefined) return exampleOf(variant, root, depth + 1);
  if (schema.allOf)
    return Object.assign({}, ...schema.allOf.map((part) => exampleOf(part, root, depth + 1) as object)) as object;
  const type = [schema.type].flat()[0] ?? (schema.properties ? 'object' : undefined);
  switch (type) {
    case 'object':
      return depth > DEEPEST ? {} : exampleObject(schema, root, depth);
    case 'array':
      return depth > DEEPEST ? [] : exampleItems(schema, root, depth);
    case 'integer':
    case 'number':
      return 1;
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return BY_FORMAT[schema.format ?? ''] ?? 'sandbox';
  }
}

function exampleObject({ properties = {} }: Schema, root: unknown, depth: number): object {
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [name, exampleOf(property, root, depth + 1)]),
  );
}

function exampleItems({ items, minItems = 1 }: Schema, root: unknown, depth: number): unknown[] {
  const length = Math.min(MOST_ITEMS, Math.max(1, minItems));
  return Array.from({ length }, () => exampleOf(items ?? {}, root, depth + 1));
}

/** The schema, or the one within the root that it refers to, such as `#/$defs/city`. */
function resolve(given: unknown, root: unknown): Schema {
  const schema = (typeof given === 'object' && given !== null ? given : {}) as Schema;
  if (schema.$ref === undefined) return schema;
  let found: unknown = root;
  for (const part of schema.$ref.split('/').slice(1)) found = (found as Record<string, unknown> | undefined)?.[part];
  const target = (found ?? {}) as Schema;
  return target.$ref === undefined ? target : {};
}
