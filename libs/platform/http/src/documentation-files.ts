import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type BrotliOptions, brotliCompress, constants, gzip, zstdCompress } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { onReplyClosed } from './connections';
import { type EncodingName, isWorthCompressing, preferredEncoding, varyOf } from './compression';

/** Beginning of the documentation's addresses. */
const DOCUMENTATION = '/docs';
/** Files that are kept. There are 38, those of Swagger UI that no page needs among them; further ones would be made for each request. */
const MOST_FILES = 64;

const BROTLI: BrotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } };
const ZSTD = { params: { [constants.ZSTD_c_compressionLevel]: 9 } };
const COMPRESS: Record<EncodingName, (body: Buffer, done: (error: Error | null, compressed: Buffer) => void) => void> =
  {
    br: (body, done) => brotliCompress(body, BROTLI, done),
    gzip: (body, done) => gzip(body, { level: 9 }, done),
    zstd: (body, done) => zstdCompress(body, ZSTD, done),
  };

/** Headers of a file that depend on the file alone. */
const OWN_HEADERS = [
  'content-type',
  'etag',
  'last-modified',
  'cache-control',
  'accept-ranges',
  'content-security-policy',
];
/** Requests for a part of a file, or on a condition, are answered by the handler. */
const CONDITIONS = ['range', 'if-match', 'if-none-match', 'if-modified-since', 'if-unmodified-since'];

/** A page, script or document under /docs, compressed at most once for each encoding. */
interface DocumentationFile {
  headers: Record<string, string>;
  body: Buffer;
  encoded: Map<string, Promise<Buffer>>;
}

/** Whether a request is for the documentation, however its address is spelt: `/%64ocs` has the same route. */
export function isDocumentation({ routeOptions }: FastifyRequest): boolean {
  return routeOptions.url?.startsWith(DOCUMENTATION) ?? false;
}

/**
 * Makes and compresses each file under /docs once. Anyone may ask for them, without a token: the OpenAPI document and its script would
 * be written anew for each request, and compressed, which costs a thousand times as much as to ask for it.
 * @param apiAddress the address that "try it out" calls, if it is not of the page's own origin
 */
export function keepDocumentationFiles(server: FastifyInstance, apiAddress?: string): void {
  const policy = documentationPolicy(apiAddress === undefined ? '' : ` ${new URL(apiAddress).origin}`);
  const protect = (_: FastifyRequest, reply: FastifyReply, done: () => void) => {
    void reply
      // Only the documentation is known to be public.
      .removeHeader('cache-control')
      .header('content-security-policy', policy)
      .header('x-frame-options', 'DENY')
      .header('referrer-policy', 'no-referrer');
    done();
  };
  const files = new Map<string, DocumentationFile>();
  /** By path, the request that makes the file, and those that wait for it. */
  const making = new Map<string, { request: FastifyRequest; waiting: (() => void)[] }>();
  const made = (path: string, request: FastifyRequest) => {
    const file = making.get(path);
    if (file?.request !== request) return;
    making.delete(path);
    for (const proceed of file.waiting) proceed();
  };
  const sendKept = (request: FastifyRequest, reply: FastifyReply, done: () => void) => {
    const path = pathOf(request);
    const proceed = () => {
      const file = files.get(path);
      // A file on disk has a tag, and an answer of its own to a condition; a generated one has not.
      if (isConditional(request) && file?.headers.etag !== undefined) return done();
      // Its compressed form is chosen as the reply is sent.
      if (file) return void reply.headers(file.headers).send(file.body);
      const first = making.get(path);
      if (first) return void first.waiting.push(proceed);
      making.set(path, { request, waiting: [] });
      withoutQuery(request);
      onReplyClosed(reply.raw, () => made(path, request));
      done();
    };
    proceed();
  };
  const keep = async (request: FastifyRequest, reply: FastifyReply, payload: unknown) => {
    const path = pathOf(request);
    // A file on disk is an empty stream to a HEAD: kept, it would be empty for everyone from then on.
    const isOfHead = request.method === 'HEAD' && payload instanceof Readable && !files.has(path);
    if (reply.statusCode !== 200 || isOfHead) {
      made(path, request);
      return payload;
    }
    let file = files.get(path);
    if (!file) {
      const body = files.size < MOST_FILES ? await bytesOf(payload) : undefined;
      if (body) files.set(path, (file = { headers: headersOf(reply), body, encoded: new Map() }));
      made(path, request);
      if (!file) return payload;
    } else if (payload instanceof Readable) payload.destroy();
    const bytes = await encodedFor(request, reply, file);
    void reply.header('content-length', bytes.length);
    return bytes;
  };
  server.addHook('onRoute', (route) => {
    if (!route.url.startsWith(DOCUMENTATION)) return;
    route.onRequest = [protect, ...[route.onRequest ?? []].flat()];
    route.preHandler = [sendKept, ...[route.preHandler ?? []].flat()];
    route.onSend = [keep, ...[route.onSend ?? []].flat()];
  });
}

/**
 * Protects the pages under /docs, where customers enter their tokens: only our own scripts run there, requests go to
 * the API only, and no other site can embed them in a frame.
 */
function documentationPolicy(otherOrigin: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    // Swagger UI's page has an inline style element.
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    `connect-src 'self'${otherOrigin}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** The file in the encoding that the client prefers. Sets the headers about it. */
async function encodedFor(
  request: FastifyRequest,
  reply: FastifyReply,
  { headers, body, encoded }: DocumentationFile,
): Promise<Buffer> {
  if (!isWorthCompressing(headers['content-type'], body.length)) return body;
  void reply.header('vary', varyOf(reply));
  const name = preferredEncoding(request.headers['accept-encoding'])?.name;
  if (name === undefined) return body;
  let bytes = encoded.get(name);
  if (!bytes) encoded.set(name, (bytes = compressed(body, name)));
  void reply.header('content-encoding', name);
  return bytes;
}

/** The path as the router has read it: the same file has many addresses, with escaped letters, a query or a fragment. */
function pathOf({ routeOptions, params }: FastifyRequest): string {
  const { '*': rest = '' } = params as { '*'?: string };
  // There is no route any more once the handler has found no file.
  return (routeOptions.url ?? '').replace('*', () => rest);
}

/** Hides from the handler what does not choose the file: Swagger's page for `/docs/` would also be made for `/docs?/`, and kept as that for `/docs`. */
function withoutQuery({ raw }: { raw: IncomingMessage & { originalUrl?: string } }): void {
  const [path = ''] = (raw.url ?? '').split(/[?#]/, 1);
  raw.url = raw.originalUrl = path;
}

function isConditional({ headers }: FastifyRequest): boolean {
  return CONDITIONS.some((name) => headers[name] !== undefined);
}

/** All bytes of a reply; undefined if it has none. */
async function bytesOf(payload: unknown): Promise<Buffer | undefined> {
  if (typeof payload === 'string') return Buffer.from(payload);
  if (payload instanceof Readable) return buffer(payload);
  return Buffer.isBuffer(payload) ? payload : undefined;
}

function headersOf(reply: FastifyReply): Record<string, string> {
  const given = OWN_HEADERS.map((name) => [name, reply.getHeader(name)] as const);
  return Object.fromEntries(given.flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])));
}

/** One file at a time: each takes a processor for a tenth of a second. */
let latest: Promise<unknown> = Promise.resolve();

function compressed(body: Buffer, encoding: EncodingName): Promise<Buffer> {
  const compress = () =>
    new Promise<Buffer>((resolve, reject) => {
      COMPRESS[encoding](body, (error, bytes) => (error ? reject(error) : resolve(bytes)));
    });
  const bytes = latest.then(compress);
  latest = bytes.catch(() => undefined);
  return bytes;
}
