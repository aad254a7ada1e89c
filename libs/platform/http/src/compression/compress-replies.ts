import { pipeline, Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { preferredEncoding } from './encodings';

/** Replies of fewer bytes are sent as they are: they fit into a packet. */
const LEAST_BYTES = 1024;
/** Bytes that are being compressed at a time. What comes on top is sent as it is, so that nothing waits for threads. */
const MOST_BYTES = 4 * 1024 * 1024;

const COMPRESSIBLE =
  /^(application\/(problem\+)?json|application\/javascript|text\/(csv|html|css|plain|javascript|yaml))\b/;
/** Of streams, those that are long. Not events, which must leave at once, nor problems that wait for the end of a body. */
const COMPRESSIBLE_STREAM = /^(text\/(csv|html|css|javascript)|application\/javascript)\b/;

/**
 * Compresses replies for clients that accept it. It does not wait for its turn: a reply that comes while much is being
 * compressed is sent as it is.
 */
export function compressReplies(server: FastifyInstance): void {
  let bytesInWork = 0;
  server.addHook(
    'onSend',
    (request, reply, payload: unknown, done: (error: Error | null, payload?: unknown) => void) => {
      const size = sizeOf(payload, reply);
      if (size < LEAST_BYTES || !isCompressible(reply, payload)) return done(null, payload);
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

function isCompressible(reply: FastifyReply, payload: unknown): boolean {
  // A part of a document has offsets in the document as it is.
  if (reply.statusCode === 206 || reply.hasHeader('content-encoding')) return false;
  const type = String(reply.getHeader('content-type') ?? '');
  return (payload instanceof Readable ? COMPRESSIBLE_STREAM : COMPRESSIBLE).test(type);
}

function varyOf(reply: FastifyReply): string {
  const already = reply.getHeader('vary');
  return already === undefined ? 'accept-encoding' : `${String(already)}, accept-encoding`;
}
