import type { INestApplication } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { AppConfig } from '@platform/config';
import { ERROR_PAGE } from '@platform/errors';
import type { ProblemDialect } from '../problem';
import { API_PREFIX } from '../routing';
import { completeReplies, describeIdempotency } from './complete-operations';
import {
  allows,
  API_KEY_SCHEME,
  type Document,
  type Media,
  operationsOf,
  resolve,
  type Schema,
  scopesOf,
} from './document';
import { describeWebhooks, recordsOf, type WebhookDescriptions } from './webhooks';

/** Descriptions of the scopes, by name. */
export type ScopeDescriptions = Readonly<Record<string, string>>;

/** What the application adds to the interface. */
export interface InterfaceParts {
  /** All scopes. */
  scopes: ScopeDescriptions;
  /** The form of errors at some addresses. */
  dialect: ProblemDialect;
  /** What is sent to addresses of customers. */
  webhooks: WebhookDescriptions;
}

/** Descriptions of the tags, in the order in which they are shown. */
const TAGS: Record<string, string> = {
  Customer: 'Your account.',
  Services: 'Your services.',
  AI: 'Credit, usage and messages to the AI model.',
  'AI for SDKs': "AI messages for the AI provider's SDKs, with their addresses, fields and errors.",
  Invoices: 'Your invoices.',
  Support: 'Tickets with the operator.',
  SMS: 'Sending messages, and the log of sent messages.',
  Status: 'The status of your services.',
  Events: 'What happened, as it happens.',
  Webhooks: 'Addresses of yours that events are sent to.',
};

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
    customSiteTitle: 'Customer API',
    // A token is not stored in the browser: it is gone when the page is closed.
    swaggerOptions: { persistAuthorization: false, displayRequestDuration: true, tryItOutEnabled: true },
  });
}

/**
 * Creates the OpenAPI 3.1 document: the declarations of the routes, and additions to all of them.
 */
export function createDocument(
  app: INestApplication,
  { PUBLIC_URL }: Pick<AppConfig, 'PUBLIC_URL'>,
  { scopes, dialect, webhooks }: InterfaceParts,
): OpenAPIObject {
  const settings = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Customer API')
    .setVersion('1.0.0')
    .setDescription(
      'Read and act on your own account: services, AI credit and AI messages, invoices, support tickets, SMS and status. ' +
        'The bearer token alone identifies the customer. Every error is a problem document (RFC 9457); ' +
        `[${ERROR_PAGE}](${ERROR_PAGE}) lists every code with its remedy.\n\n` +
        `A token has scopes. Each operation names the scope that it needs:\n\n${scopeTable(scopes)}`,
    )
    // Without an address of its own the server is the one that the document came from, under any name.
    .addServer(`${PUBLIC_URL ?? ''}/${API_PREFIX}`, PUBLIC_URL ? 'Production' : 'Source: local, staging or production')
    .addBearerAuth(
      {
        type: 'http',
        scheme: 'bearer',
        bearerFormat: 'cas_live_…',
        description: `A service token from the operator: \`cas_live_\` and 49 letters and digits. Its rights depend on its scopes:\n\n${scopeTable(scopes)}`,
      },
      'token',
    )
    .addApiKey(
      {
        type: 'apiKey',
        in: 'header',
        name: 'x-api-key',
        description: 'The same token, as SDKs of AI providers send it.',
      },
      API_KEY_SCHEME,
    )
    .build();
  const generated = SwaggerModule.createDocument(app, settings, {
    operationIdFactory: (_controller, method) => method,
    // Paths are relative to the server's address, which ends in the prefix.
    ignoreGlobalPrefix: true,
    extraModels: recordsOf(webhooks),
  });
  const document = asOpenApi31(generated) as unknown as Document;
  describeWebhooks(document, webhooks);
  describeService(document);
  describeScopes(document);
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
function describeService(document: Document): void {
  document.info.license = { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' };
  document.info.contact = { name: 'The operator of this service' };
  for (const server of document.servers) server['x-internal'] = false;
  const used = new Set(operationsOf(document).flatMap(({ tags = [] }) => tags));
  document.tags = Object.entries(TAGS)
    .filter(([name]) => used.has(name))
    .map(([name, description]) => ({ name, description }));
}

/** The scopes as a Markdown table. */
function scopeTable(scopes: ScopeDescriptions): string {
  const rows = Object.entries(scopes).map(([name, opens]) => `| \`${name}\` | ${opens} |`);
  return ['| scope | allows |', '| --- | --- |', ...rows].join('\n');
}

/** Adds the needed scope to every operation's description: tools do not show the scopes of a bearer scheme. */
function describeScopes(document: Document): void {
  for (const operation of operationsOf(document)) {
    // The usual way first: some generators use the first one only.
    operation.security?.sort((one, other) => Number(API_KEY_SCHEME in one) - Number(API_KEY_SCHEME in other));
    const [scope] = scopesOf(operation);
    const needs = scope === undefined ? 'Any valid token is accepted.' : `Needs the scope \`${scope}\`.`;
    operation.description = [operation.description, needs].filter(Boolean).join('\n\n');
  }
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
  if (schema.properties?.next_cursor && schema.properties.data) schema.properties.data.maxItems = PAGE_ITEMS;
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
