import type { FastifyInstance } from 'fastify';

/**
 * Protects the pages under /docs, where customers enter their tokens: only our own scripts run there, requests go to
 * the API only, and no other site can embed them in a frame. @param interfaceOrigin the origin that "try it out" calls,
 * if it is not the page's own origin
 */
export function addDocumentHeaders(server: FastifyInstance, interfaceOrigin?: string): void {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    // Swagger UI's page has an inline style element.
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
