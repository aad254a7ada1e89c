import { pipeline, Readable, type Transform } from 'node:stream';
import {
  brotliCompress,
  constants,
  createBrotliCompress,
  createGzip,
  createZstdCompress,
  gzip,
  zstdCompress,
} from 'node:zlib';
import { Header } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { acceptedWeights } from './accept';

/** Replies of fewer bytes are sent as they are: they fit into a packet. */
const LEAST_BYTES = 1024;
/** Bytes that are compressed at a time. A reply beyond them is sent as it is, so that nothing waits for threads. */
const MOST_BYTES = 4 * 1024 * 1024;

const COMPRESSIBLE =
  /^(application\/(problem\+)?json|application\/javascript|text\/(csv|html|css|plain|javascript|yaml))\b/;
/** Of streams, those that are long. Not events, which must leave at once, nor problems that wait for the end of a body. */
const COMPRESSIBLE_STREAM = /^(text\/(csv|html|css|javascript)|application\/javascript)\b/;

/**
 * Declares that a route's replies are compressed by nobody, proxies included: they have a secret beside texts that its caller chose, and
 * their size would tell of it (BREACH).
 */
export const Uncompressed = () => Header('cache-control', 'no-store, no-transform');
const NOT_TRANSFORMED = /\bno-transform\b/;

type Done = (error: Error | null, compressed: Buffer) => void;

/** The content encodings that replies can have. */
export type EncodingName = 'zstd' | 'br' | 'gzip';

/** A content encoding that replies can have. Compression runs on the threads of libuv, not on the event loop. */
interface Encoding {
  name: EncodingName;
  compress(body: string | Buffer, done: Done): void;
  stream(): Transform;
}

/** Settings that cost little time: on lists, higher ones save 2 to 10 % of bytes for two to ten times the time. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
const GZIP = { level: 3 };

/** In order of preference: they take less time for the same size. */
const ENCODINGS: readonly Encoding[] = [
  { name: 'zstd', compress: (body, done) => zstdCompress(body, done), stream: () => createZstdCompress() },
  {
    name: 'br',
    compress: (body, done) => brotliCompress(body, BROTLI, done),
    stream: () => createBrotliCompress(BROTLI),
  },
  { name: 'gzip', compress: (body, done) => gzip(body, GZIP, done), stream: () => createGzip(GZIP) },
];

/**
 * Compresses replies for clients that accept it. It does not wait for its turn: a reply that comes while much is being
 * compressed is sent as it is.
 * @param except requests whose replies are left alone
 */
export function compressReplies(server: FastifyInstance, except: (request: FastifyRequest) => boolean): void {
  let bytesInWork = 0;
  server.addHook(
    'onSend',
    (request, reply, payload: unknown, done: (error: Error | null, payload?: unknown) => void) => {
      const size = sizeOf(payload, reply);
      if (size < LEAST_BYTES || !isCompressible(reply, payload) || except(request)) return done(null, payload);
      reply.header('vary', varyOf(reply));
      const encoding = preferredEncoding(request.headers['accept-encoding']);
      if (!encoding || (bytesInWork > 0 && bytesInWork + size > MOST_BYTES)) return done(null, payload);
      const send = (compressed: unknown) => {
        reply.removeHeader('content-length').header('content-encoding', encoding.name);
        done(null, compressed);
      };
      if (payload instanceof Readable) {
        // If it breaks at its start, an error is sent in its place, as it is.
        payload.once('error', () => {
          if (!reply.raw.headersSent) void reply.removeHeader('content-encoding');
        });
        // A stream that breaks, or whose client is gone, ends the other one as well.
        return send(pipeline(payload, encoding.stream(), () => undefined));
      }
      bytesInWork += size;
      encoding.compress(payload as string | Buffer, (error, compressed) => {
        bytesInWork -= size;
        if (error) done(null, payload);
        else send(compressed);
      });
    },
  );
}

/** Bytes of a reply's body; those of a stream are as many as it says, or enough. */
function sizeOf(payload: unknown, reply: FastifyReply): number {
  if (typeof payload === 'string') return Buffer.byteLength(payload);
  if (Buffer.isBuffer(payload)) return payload.length;
  return payload instanceof Readable ? Number(reply.getHeader('content-length') ?? LEAST_BYTES) : 0;
}

/** Whether a body of this type and size becomes smaller by compression. */
export function isWorthCompressing(type: string | undefined, bytes: number): boolean {
  return bytes >= LEAST_BYTES && type !== undefined && COMPRESSIBLE.test(type);
}

function isCompressible(reply: FastifyReply, payload: unknown): boolean {
  // A part of a document has offsets in the document as it is.
  if (reply.statusCode === 206 || reply.hasHeader('content-encoding')) return false;
  if (NOT_TRANSFORMED.test(String(reply.getHeader('cache-control')))) return false;
  const type = String(reply.getHeader('content-type') ?? '');
  return (payload instanceof Readable ? COMPRESSIBLE_STREAM : COMPRESSIBLE).test(type);
}

/** The reply's `Vary`, with the encoding that it depends on. */
export function varyOf(reply: FastifyReply): string {
  const already = reply.getHeader('vary');
  return already === undefined ? 'accept-encoding' : `${String(already)}, accept-encoding`;
}

/**
 * The encoding that a client prefers (RFC 9110 §12.5.3), among equals the first of {@link ENCODINGS}; undefined if it accepts
 * none of them, or prefers none.
 */
export function preferredEncoding(accepted: string | undefined): Encoding | undefined {
  if (accepted === undefined) return undefined;
  const weights = acceptedWeights(accepted);
  const weightOf = (name: string) => weights.get(name) ?? weights.get('*') ?? 0;
  const plain = weights.get('identity') ?? 0;
  let best: Encoding | undefined;
  for (const encoding of ENCODINGS) {
    const weight = weightOf(encoding.name);
    if (weight > 0 && weight >= plain && weight > (best ? weightOf(best.name) : 0)) best = encoding;
  }
  return best;
}
