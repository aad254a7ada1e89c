import { readFileSync } from 'node:fs';
import { getHttpOperationsFromSpec } from '@stoplight/prism-http/dist/utils/operations.js';
import { validateInput, validateOutput } from '@stoplight/prism-http/dist/validator/index.js';

/** An operation of openapi.json, in the validator's format. */
type DocumentedOperation = Awaited<ReturnType<typeof getHttpOperationsFromSpec>>[number];

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

interface Diagnostic {
  message: string;
}

const PREFIX = '/api/v1';
let operations: Promise<Map<string, DocumentedOperation>> | undefined;

/** The operation of a route; undefined for undocumented routes, and for HEAD. */
export async function documentedOperation(
  method: string,
  route: string | undefined,
): Promise<DocumentedOperation | undefined> {
  if (route?.startsWith(PREFIX) !== true) return undefined;
  operations ??= readOperations();
  return (await operations).get(`${method} ${route.slice(PREFIX.length).replace(/:(\w+)/g, '{$1}')}`);
}

/** Properties of a reply that the document does not allow. */
export function faultsOfReply(resource: DocumentedOperation, { status, replyHeaders, replyBody }: Exchange): string[] {
  const json = replyHeaders['content-type']?.includes('json') === true;
  const body: unknown = json && replyBody !== undefined ? JSON.parse(replyBody) : (replyBody ?? '');
  return messagesOf(validateOutput({ resource, element: { statusCode: status, headers: replyHeaders, body } }));
}

/** Properties of a request that the document does not allow, though the service accepted it. */
export function faultsOfRequest(resource: DocumentedOperation, exchange: Exchange): string[] {
  const { status, path, query, requestBody } = exchange;
  const unseen = resource.method === 'post' && requestBody === undefined;
  if (status >= 300 || unseen) return [];
  const url = { path: path.slice(PREFIX.length), query };
  const element = { method: resource.method as 'get' | 'post', url, headers: headersOf(exchange), body: requestBody };
  return messagesOf(validateInput({ resource, element }));
}

/** Headers without the content type of a missing body: the validator throws at it. */
function headersOf({ requestBody, requestHeaders }: Exchange): Record<string, string> {
  const { 'content-type': _, ...others } = requestHeaders;
  return requestBody === undefined ? others : requestHeaders;
}

async function readOperations(): Promise<Map<string, DocumentedOperation>> {
  const document = JSON.parse(readFileSync('openapi.json', 'utf8')) as object;
  const found = await getHttpOperationsFromSpec(document);
  return new Map(found.map((operation) => [`${operation.method.toUpperCase()} ${operation.path}`, operation]));
}

function messagesOf(result: { _tag: 'Left'; left: Diagnostic[] } | { _tag: 'Right' }): string[] {
  return result._tag === 'Left' ? result.left.map(({ message }) => message) : [];
}
