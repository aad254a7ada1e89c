import type { FastifyInstance } from 'fastify';

/** Sets the headers of every reply. Replies contain a customer's data, so caches must not store them. */
export function addReplyHeaders(server: FastifyInstance): void {
  server.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    reply.header('x-content-type-options', 'nosniff');
    // In case of doubt by the address: only the documentation is known to be public.
    if (!request.url.startsWith('/docs')) reply.header('cache-control', 'no-store');
    done();
  });
}
