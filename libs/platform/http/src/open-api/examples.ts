import { allows, type Document, type Media, operationsOf, resolve, type Schema } from './document';

/** Adds an example to every body, composed of the examples of its fields. */
export function addExamples(document: Document): void {
  for (const { requestBody, responses } of operationsOf(document)) {
    for (const { content = {} } of [requestBody ?? {}, ...Object.values(responses)]) {
      for (const [type, media] of Object.entries<Media>(content)) {
        if (type.endsWith('json') && !media.examples) media.example ??= exampleOf(document, media.schema);
      }
    }
  }
}

function exampleOf(document: Document, reference: Schema): unknown {
  const schema = resolve(document, reference);
  if (schema.example !== undefined) return schema.example;
  if (schema.default !== undefined) return schema.default;
  if (schema.enum) return schema.enum[0];
  if (schema.properties) {
    const fields = Object.entries(schema.properties);
    return Object.fromEntries(
      fields
        .filter(([name, field]) => isShown(name, schema, resolve(document, field)))
        .map(([name, field]) => [name, exampleOf(document, field)]),
    );
  }
  if (schema.items) return [exampleOf(document, schema.items)];
  const [variant] = schema.oneOf ?? schema.allOf ?? schema.anyOf ?? [];
  if (variant) return exampleOf(document, variant);
  return madeUp(schema);
}

/** An optional field without an example, such as a record's number, would make the example request fail. */
function isShown(name: string, { required = [] }: Schema, field: Schema): boolean {
  return required.includes(name) || field.example !== undefined;
}

function madeUp(schema: Schema): unknown {
  if (allows(schema, 'null')) return null;
  if (allows(schema, 'boolean')) return true;
  if (allows(schema, 'integer') || allows(schema, 'number')) return Math.max(0, schema.minimum ?? 0);
  if (allows(schema, 'object')) return {};
  return TEXTS[schema.format ?? ''] ?? 'text';
}

const TEXTS: Record<string, string> = {
  uuid: 'b7c4a3f2-11d4-4f7e-8f3f-9a2d3c4b5e6f',
  'date-time': '2026-11-20T12:00:00.000000Z',
  date: '2026-11-20',
  uri: 'https://example.com',
};
