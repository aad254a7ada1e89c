import type { FastifyInstance } from 'fastify';
import { isTracing, traceRequest } from '@platform/tracing';
import { onReplyClosed } from '../connections/on-reply-closed';

/**
 * Traces each request except health checks, below the span of the caller if it names one. To be added first: what other hooks
 * do, log lines too, is then part of it. Adds nothing while traces are off.
 */
export function traceRequests(server: FastifyInstance): void {
  if (!isTracing()) return;
  server.addHook('onRequest', (request, reply, done) => {
    if (request.url.startsWith('/health/')) return done();
    const { method, headers, id, routeOptions } = request;
    const route = routeOptions.url;
    const span = traceRequest([method, route].join(' ').trim(), headers, {
      'http.request.method': method,
      'http.route': route,
      'request.id': id,
    });
    if (!span) return done();
    const { raw } = reply;
    onReplyClosed(raw, () => {
      const status = raw.headersSent ? raw.statusCode : undefined;
      const attributes = { 'http.response.status_code': status, 'customer.id': request.customer?.customerId };
      // Without a status the caller has gone away: not a fault of the service.
      span.end(attributes, status !== undefined && status >= 500);
    });
    span.run(done);
  });
}
