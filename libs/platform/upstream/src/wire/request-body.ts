import { Readable } from 'node:stream';

/** Below this size, one copy costs less than sending part by part. */
const ONE_PIECE_BYTES = 64 * 1024;

/** A request's body: a text, bytes, or bytes in parts that are sent without copying, for a large body. */
export type RequestBody = string | Buffer | readonly Buffer[];

/** The body for one attempt. Each attempt needs a new one: a stream can be read once. */
export function onTheWire(body: RequestBody | undefined): {
  body?: string | Buffer | Readable;
  headers: Record<string, string>;
} {
  if (body === undefined || typeof body === 'string' || Buffer.isBuffer(body)) return { body, headers: {} };
  const length = body.reduce((sum, part) => sum + part.length, 0);
  if (length <= ONE_PIECE_BYTES) return { body: Buffer.concat(body), headers: {} };
  return { body: Readable.from(body), headers: { 'content-length': String(length) } };
}
