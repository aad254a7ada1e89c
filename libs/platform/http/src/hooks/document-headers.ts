import type { FastifyInstance } from 'fastify';

/**
 * Protects the pages under /docs, where customers type their tokens: nothing but our own scripts runs there, nothing is sent
 * anywhere but to the interface itself, and no other site shows them in a frame.
 * @param interfaceOrigin where "try it out" sends its calls, if not to the page's own origin.
 */
export function addDocumentHeaders(server: FastifyInstance, interfaceOrigin?: string): void {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    // Swagger UI's page has a style element of its own.
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    `connect-src 'self'${interfaceOrigin === undefined ? '' : ` ${interfaceOrigin}`}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  server.addHook('onRequest', (request, reply, done) => {
    if (request.url.startsWith('/docs')) {
      reply.header('content-security-policy', policy);
      reply.header('x-frame-options', 'DENY');
      reply.header('referrer-policy', 'no-referrer');
    }
    done();
  });
}
