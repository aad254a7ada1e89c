import { allows, type Document, operationsOf, resolve, type Schema } from './document';

/** Maximum length of a text by format. Other bounds stand at the field, where they are enforced. */
const TEXT_BY_FORMAT: Record<string, number> = { 'date-time': 27, date: 10, uuid: 36, email: 254 };
/** RFC 3339 in UTC, to the microsecond: always the same length, so that texts compare as times do. */
const TIME = '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{6}Z$';
const PAGE_ITEMS = 200;
const INT32 = [-2_147_483_648, 2_147_483_647] as const;

/** Adds bounds of values for client generators: those that follow from formats, and those of pages. */
export function addBounds(document: Document): void {
  const seen = new Set<Schema>();
  for (const { parameters = [], requestBody, responses } of operationsOf(document)) {
    for (const { schema } of parameters) visit(document, schema, seen);
    for (const { content = {} } of [requestBody ?? {}, ...Object.values(responses)]) {
      for (const { schema } of Object.values(content)) visit(document, schema, seen);
    }
  }
}

function visit(document: Document, reference: Schema, seen: Set<Schema>): void {
  const schema = resolve(document, reference);
  if (seen.has(schema)) return;
  seen.add(schema);
  bound(schema);
  const { properties = {}, items, oneOf = [], allOf = [], anyOf = [] } = schema;
  for (const part of [...Object.values(properties), ...(items ? [items] : []), ...oneOf, ...allOf, ...anyOf]) {
    visit(document, part, seen);
  }
}

function bound(schema: Schema): void {
  const longest = TEXT_BY_FORMAT[schema.format ?? ''];
  if (allows(schema, 'string') && longest !== undefined) schema.maxLength ??= longest;
  if (schema.format === 'date-time') schema.pattern ??= TIME;
  if (schema.properties?.next_cursor && schema.properties.data) schema.properties.data.maxItems = PAGE_ITEMS;
  // int64 is never used: some clients send such a number as a text.
  if (schema.format === 'int32') {
    schema.minimum ??= INT32[0];
    schema.maximum ??= INT32[1];
  }
}
