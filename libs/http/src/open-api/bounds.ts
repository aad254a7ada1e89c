import { allows, type Document, operationsOf, resolve, type Schema } from './document';

/** The longest text of a format. */
const TEXT_BY_FORMAT: Record<string, number> = { 'date-time': 40, date: 10, uuid: 36, email: 254, uri: 2048 };
/** The most of anything else that a reply can hold; a request's own fields must say what they take. */
const REPLY_TEXT = 10_000;
const REPLY_ITEMS = 10_000;
const PAGE_ITEMS = 200;
const INTEGERS: Record<string, [number, number]> = {
  int32: [-2_147_483_648, 2_147_483_647],
  int64: [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
};

/** Says how large the values of replies can be, so that whoever generates a client knows, and what formats say of all. */
export function addBounds(document: Document): void {
  const seen = new Set<Schema>();
  for (const { parameters = [], requestBody, responses } of operationsOf(document)) {
    for (const { schema } of parameters) visit(document, schema, seen, boundAny);
    for (const { schema } of Object.values(requestBody?.content ?? {})) visit(document, schema, seen, boundAny);
    for (const { content = {} } of Object.values(responses)) {
      for (const { schema } of Object.values(content)) visit(document, schema, seen, boundReply);
    }
  }
}

function visit(document: Document, reference: Schema, seen: Set<Schema>, bound: (schema: Schema) => void): void {
  const schema = resolve(document, reference);
  if (seen.has(schema)) return;
  seen.add(schema);
  bound(schema);
  const { properties = {}, items, oneOf = [], allOf = [] } = schema;
  for (const part of [...Object.values(properties), ...(items ? [items] : []), ...oneOf, ...allOf]) {
    visit(document, part, seen, bound);
  }
}

function boundReply(schema: Schema): void {
  boundAny(schema);
  if (allows(schema, 'string') && !schema.enum) schema.maxLength ??= REPLY_TEXT;
  if (allows(schema, 'array')) schema.maxItems ??= REPLY_ITEMS;
  if (schema.properties?.next_cursor && schema.properties.data) schema.properties.data.maxItems = PAGE_ITEMS;
}

/** What a value's own format says. */
function boundAny(schema: Schema): void {
  const longest = TEXT_BY_FORMAT[schema.format ?? ''];
  if (allows(schema, 'string') && longest !== undefined) schema.maxLength ??= longest;
  if (!allows(schema, 'integer')) return;
  schema.format ??= 'int64';
  const [least, most] = INTEGERS[schema.format] ?? [];
  schema.minimum ??= least;
  schema.maximum ??= most;
}
