import type { FastifyInstance } from 'fastify';

/** Headers that every reply has. Replies are a customer's data: nobody keeps a copy on the way. */
export function addReplyHeaders(server: FastifyInstance): void {
  server.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    reply.header('x-content-type-options', 'nosniff');
    // Whatever form the address has: only the documents are known to be nobody's.
    if (!request.url.startsWith('/docs')) reply.header('cache-control', 'no-store');
    done();
  });
}
