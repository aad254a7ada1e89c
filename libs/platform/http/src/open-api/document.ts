/** Name of the scheme of a token that is sent as `X-Api-Key`. */
export const API_KEY_SCHEME = 'apiKey';

/** A JSON schema, as far as it is used here. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  format?: string;
  enum?: unknown[];
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  maxItems?: number;
  maxProperties?: number;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  oneOf?: Schema[];
  allOf?: Schema[];
  anyOf?: Schema[];
  example?: unknown;
  default?: unknown;
}

/** A body of one content type. */
export interface Media {
  schema: Schema;
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}

/** A reply of an operation. */
export interface Reply {
  description: string;
  headers?: Record<string, { $ref: string }>;
  content?: Record<string, Media>;
}

/** A value in the address or a header of a request. */
export interface Parameter {
  name: string;
  in?: string;
  required?: boolean;
  description?: string;
  schema: Schema;
  example?: unknown;
}

/** A route with a method. */
export interface Operation {
  operationId: string;
  description?: string;
  tags?: string[];
  security?: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, Reply>;
}

/** An OpenAPI document, as far as it is used here. */
export interface Document {
  info: Record<string, unknown>;
  servers: Record<string, unknown>[];
  tags?: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks?: Record<string, unknown>;
  components: { schemas: Record<string, Schema>; headers?: Record<string, unknown> };
}

/** Every operation of the document. */
export function operationsOf(document: Document): Operation[] {
  return Object.values(document.paths).flatMap((path) => Object.values(path));
}

/** Every POST of the document. */
export function postsOf(document: Document): Operation[] {
  return Object.values(document.paths).flatMap(({ post }) => (post ? [post] : []));
}

/** The schema itself, or the one that it refers to. */
export function resolve(document: Document, schema: Schema): Schema {
  if (schema.$ref === undefined) return schema;
  const found = document.components.schemas[schema.$ref.replace('#/components/schemas/', '')];
  if (!found) throw new Error(`The document has no ${schema.$ref}`);
  return found;
}

/** Whether a schema allows values of the type. */
export function allows({ type }: Schema, name: string): boolean {
  return [type].flat().includes(name);
}

/** The scopes that an operation declares. */
export function scopesOf({ security = [] }: Operation): string[] {
  return security.flatMap((alternative) => Object.values(alternative).flat());
}
