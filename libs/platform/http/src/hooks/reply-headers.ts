import type { FastifyInstance, FastifyReply } from 'fastify';

/** Sets the id of the request: under its own name, and under the one that SDKs of AI providers read. */
export function setRequestId(reply: FastifyReply, id: string): void {
  void reply.header('x-request-id', id).header('request-id', id);
}

/** Sets the headers of every reply. Replies contain a customer's data, so caches must not store them. */
export function addReplyHeaders(server: FastifyInstance): void {
  server.addHook('onRequest', (request, reply, done) => {
    setRequestId(reply, request.id);
    reply.header('x-content-type-options', 'nosniff');
    // In case of doubt by the address: only the documentation is known to be public.
    if (!request.url.startsWith('/docs')) reply.header('cache-control', 'no-store');
    done();
  });
}
