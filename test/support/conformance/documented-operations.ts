import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';

/** An operation of a document, in the validator's format. */
interface DocumentedOperation {
  method: string;
  path: string;
  responses: { code: string; headers?: { name: string }[] }[];
}

interface Diagnostic {
  message: string;
}

/** The parts of Prism that are used. Its own types need its packages, which only the tests install. */
interface Prism {
  getHttpOperationsFromSpec(document: object): Promise<DocumentedOperation[]>;
  validateInput(input: { resource: DocumentedOperation; element: object }): Validation;
  validateOutput(output: { resource: DocumentedOperation; element: object }): Validation;
}

/** Either the faults or nothing of interest. */
type Validation = { _tag: 'Left'; left: Diagnostic[] } | { _tag: 'Right' };

const packages = createRequire(resolve('test/support/conformance/package.json'));
const { getHttpOperationsFromSpec } = packages('@stoplight/prism-http/dist/utils/operations.js') as Prism;
const { validateInput, validateOutput } = packages('@stoplight/prism-http/dist/validator/index.js') as Prism;

/** A request and its reply. */
export interface Exchange {
  path: string;
  query: Record<string, string | string[]>;
  requestHeaders: Record<string, string>;
  /** Parsed; undefined if there is none, it was refused, or it is too large to check. */
  requestBody: unknown;
  status: number;
  replyHeaders: Record<string, string>;
  /** Undefined for a stream. */
  replyBody: string | undefined;
}

/** An interface: the file of its document, and the prefix of its addresses. */
export interface DocumentedInterface {
  document: string;
  prefix: string;
}

const operations = new Map<string, Promise<Map<string, DocumentedOperation>>>();

/** The operation of a route; undefined for undocumented routes, and for HEAD. */
export async function documentedOperation(
  { document, prefix }: DocumentedInterface,
  method: string,
  route: string | undefined,
): Promise<DocumentedOperation | undefined> {
  if (route?.startsWith(prefix) !== true) return undefined;
  let known = operations.get(document);
  if (!known) operations.set(document, (known = readOperations(document)));
  return (await known).get(`${method} ${route.slice(prefix.length).replace(/:(\w+)/g, '{$1}')}`);
}

/** Properties of a reply that the document does not allow. */
export function faultsOfReply(resource: DocumentedOperation, { status, replyHeaders, replyBody }: Exchange): string[] {
  // The validator does not look at the body of a reply that has none by the document.
  if (status === 204 && replyBody) return ['Response of status 204 must have no body'];
  const json = replyHeaders['content-type']?.includes('json') === true;
  const body: unknown = json && replyBody !== undefined ? JSON.parse(replyBody) : (replyBody ?? '');
  return messagesOf(validateOutput({ resource, element: { statusCode: status, headers: replyHeaders, body } }));
}

/** Headers that tell a caller something. Others are those of HTTP itself, or for browsers and proxies. */
const TELLING = /^(x-(?!accel-|content-type-|frame-)|retry-after$|www-authenticate$|idempotency-replayed$|request-id$)/;

/** The headers of a reply that the document does not name. */
export function unnamedHeaders({ responses }: DocumentedOperation, { status, replyHeaders }: Exchange): string[] {
  const { headers = [] } = responses.find(({ code }) => code === String(status)) ?? {};
  const named = new Set(headers.map(({ name }) => name.toLowerCase()));
  const unnamed = Object.keys(replyHeaders).filter((name) => TELLING.test(name) && !named.has(name));
  return unnamed.map((name) => `The header ${name} is not in the document`);
}

/** Properties of a request that the document does not allow, though the service accepted it. */
export function faultsOfRequest(
  resource: DocumentedOperation,
  exchange: Exchange,
  { prefix }: DocumentedInterface,
): string[] {
  const { status, path, query, requestBody } = exchange;
  const unseen = ['post', 'patch'].includes(resource.method) && requestBody === undefined;
  if (status >= 300 || unseen) return [];
  const url = { path: path.slice(prefix.length), query };
  const element = { method: resource.method, url, headers: headersOf(exchange), body: requestBody };
  return messagesOf(validateInput({ resource, element }));
}

/** Headers without the content type of a missing body: the validator throws at it. */
function headersOf({ requestBody, requestHeaders }: Exchange): Record<string, string> {
  const { 'content-type': _, ...others } = requestHeaders;
  return requestBody === undefined ? others : requestHeaders;
}

async function readOperations(path: string): Promise<Map<string, DocumentedOperation>> {
  const document = JSON.parse(readFileSync(path, 'utf8')) as object;
  const found = await getHttpOperationsFromSpec(document);
  return new Map(found.map((operation) => [`${operation.method.toUpperCase()} ${operation.path}`, operation]));
}

function messagesOf(result: Validation): string[] {
  return result._tag === 'Left' ? result.left.map(({ message }) => message) : [];
}
