/** The parts of a document of OpenAPI that requests are made from. */
export interface InterfaceDocument {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

interface Operation {
  parameters?: { name: string; in: string }[];
  requestBody?: { content: { 'application/json': { schema: { $ref: string } } } };
}

interface Schema {
  properties?: Record<string, { [name: string]: unknown; example?: unknown; enum?: unknown[] }>;
  required?: string[];
}

/** A request to an operation of the document. */
export interface EdgeRequest {
  method: string;
  address: string;
  body?: unknown;
}

/** Values that are good by their form, or by their type. Random ones hardly meet their field in an otherwise good request. */
export const EDGES = [
  ...['9999-12-31T23:59:59Z', '0001-01-01T00:00:00Z', '9999-12-31', '0001-01-01', -1, 2 ** 31],
  // Half a character, which no encoding has.
  ...['\ud800', { half: '\ud800' }, { '\ud800': true }],
];

/** What an interface needs for its requests. */
export interface EdgeOptions {
  values: readonly unknown[];
  /** The address of an operation: its path, with ids in the place of parameters. Undefined for one that is left out. */
  addressOf: (method: string, path: string) => string | undefined;
  /** Good values of fields that have no example, or need another. */
  good?: Record<string, unknown>;
  /** Paths of whose bodies only the required fields are tried. */
  requiredOnly?: string;
}

/** For each query parameter and each field of a body an otherwise good request with each of the values; each as the whole body, too. */
export function* edgeRequests(
  { paths, components: { schemas } }: InterfaceDocument,
  { values, addressOf, good = {}, requiredOnly }: EdgeOptions,
): Generator<EdgeRequest> {
  for (const [path, operations] of Object.entries(paths))
    for (const [name, { parameters = [], requestBody }] of Object.entries(operations)) {
      const method = name.toUpperCase();
      const address = addressOf(method, path);
      if (address === undefined) continue;
      // A wait would only take its time.
      const queries = parameters.filter((one) => one.in === 'query' && one.name !== 'wait');
      for (const query of queries)
        for (const value of values) yield { method, address: `${address}?${query.name}=${inQuery(value)}` };
      const reference = requestBody?.content['application/json'].schema.$ref;
      if (reference === undefined) continue;
      const { properties = {}, required = [] } = schemas[reference.split('/').at(-1) ?? ''] ?? {};
      const goodValue = (field: string) =>
        good[field] ?? properties[field]?.example ?? properties[field]?.enum?.[0] ?? 'Fjordlys';
      const least = Object.fromEntries(required.map((field) => [field, goodValue(field)]));
      const fields = requiredOnly !== undefined && path.includes(requiredOnly) ? required : Object.keys(properties);
      for (const value of values) {
        yield { method, address, body: value };
        for (const field of fields) yield { method, address, body: { ...least, [field]: value } };
      }
    }
}

function inQuery(value: unknown): string {
  return encodeURIComponent(typeof value === 'string' ? value.toWellFormed() : JSON.stringify(value));
}

/** The body and its headers of a request, for `fetch`. */
export function sentBody({ body }: EdgeRequest): { body?: string; headers?: Record<string, string> } {
  return body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
}
