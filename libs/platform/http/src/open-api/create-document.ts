import type { INestApplication } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { AppConfig } from '@platform/config';
import { completeReplies, describeIdempotency } from './complete-operations';
import { allows, type Document, type Media, operationsOf, resolve, type Schema } from './document';
import type { InterfaceParts } from './interface-parts';
import { describeWebhooks, recordsOf } from './webhooks';

/** Maximum length of a text by format. Other bounds stand at the field, where they are enforced. */
const TEXT_BY_FORMAT: Record<string, number> = { 'date-time': 27, date: 10, uuid: 36, email: 254 };
/** RFC 3339 in UTC, to the microsecond: always the same length, so that texts compare as times do. */
const TIME = '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{6}Z$';
const PAGE_ITEMS = 200;
const INT32 = [-2_147_483_648, 2_147_483_647] as const;

/** Examples of texts by format. */
const EXAMPLE_BY_FORMAT: Record<string, string> = {
  uuid: 'b7c4a3f2-11d4-4f7e-8f3f-9a2d3c4b5e6f',
  'date-time': '2026-11-20T12:00:00.000000Z',
  date: '2026-11-20',
  uri: 'https://example.com',
};

/** Serves Swagger UI under /docs and the OpenAPI document as /docs/openapi.json. */
export function serveOpenApi(app: NestFastifyApplication, config: AppConfig, parts: InterfaceParts): void {
  SwaggerModule.setup('docs', app, () => createDocument(app, config, parts), {
    jsonDocumentUrl: 'docs/openapi.json',
    yamlDocumentUrl: 'docs/openapi.yaml',
    customSiteTitle: parts.title,
    // A token is not stored in the browser: it is gone when the page is closed.
    swaggerOptions: { persistAuthorization: false, displayRequestDuration: true, tryItOutEnabled: true },
  });
}

/**
 * Creates the OpenAPI 3.1 document: the declarations of the routes, and additions to all of them.
 */
export function createDocument(app: INestApplication, config: AppConfig, parts: InterfaceParts): OpenAPIObject {
  const { title, version, description, prefix, dialect, webhooks } = parts;
  const address = parts.address(config);
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle(title)
    .setVersion(version)
    .setDescription(description)
    // Without an address of its own the server is the one that the document came from, under any name.
    .addServer(`${address ?? ''}/${prefix}`, address ? 'Production' : 'Source: local, staging or production');
  const generated = SwaggerModule.createDocument(app, parts.secure(builder).build(), {
    operationIdFactory: (_controller, method) => method,
    // Paths are relative to the server's address, which ends in the prefix.
    ignoreGlobalPrefix: true,
    extraModels: webhooks ? recordsOf(webhooks) : [],
  });
  const document = asOpenApi31(generated) as unknown as Document;
  if (webhooks) describeWebhooks(document, webhooks);
  describeService(document, parts);
  parts.describeAccess(document);
  describeIdempotency(document);
  completeReplies(document, dialect);
  addBounds(document);
  addExamples(document);
  return document as unknown as OpenAPIObject;
}

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/**
 * Converts the generator's output, which is OpenAPI 3.0: `nullable` becomes the type `null`. Bytes stay a string of the
 * format `binary`: version 3.1 would leave their schema empty, but client generators know the format.
 */
function asOpenApi31<Part>(document: Part): Part {
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

/** Adds the description of the service as a whole. */
function describeService(document: Document, { tags, errors }: InterfaceParts): void {
  document.info.license = { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' };
  document.info.contact = { name: 'The operator of this service' };
  for (const server of document.servers) server['x-internal'] = false;
  const used = new Set(operationsOf(document).flatMap(({ tags = [] }) => tags));
  document.tags = Object.entries(tags)
    .filter(([name]) => used.has(name))
    .map(([name, description]) => ({ name, description }));
  const code = document.components.schemas.ProblemDto?.properties?.code;
  if (code) code.enum = Object.keys(errors);
}

/** Adds bounds of values for client generators: those that follow from formats, and those of pages. */
function addBounds(document: Document): void {
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
  // A list that is sent whole says its own bound.
  if (schema.properties?.next_cursor && schema.properties.data) schema.properties.data.maxItems ??= PAGE_ITEMS;
  // int64 is never used: some clients send such a number as a text.
  if (schema.format === 'int32') {
    schema.minimum ??= INT32[0];
    schema.maximum ??= INT32[1];
  }
}

/** Adds an example to every body, composed of the examples of its fields. */
function addExamples(document: Document): void {
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
  return EXAMPLE_BY_FORMAT[schema.format ?? ''] ?? 'text';
}
