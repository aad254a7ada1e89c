import type { IncomingMessage } from 'node:http';
import { ServiceError } from '@app/errors';

/** Collects a request's body. @throws ServiceError payload_too_large, or invalid_request if it ends early. */
export async function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  const tooLarge = () => new ServiceError('payload_too_large', `The body may have ${limit} bytes at most`);
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge();
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) {
        // The rest still arrives and is thrown away, so that the caller reads the answer instead of a reset connection.
        request.removeAllListeners('data').resume();
        reject(tooLarge());
      } else chunks.push(chunk);
    });
    request.once('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    request.once('error', () => reject(new ServiceError('invalid_request', 'The body ended before it was complete')));
  });
}
