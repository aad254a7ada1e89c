import type { FastifyInstance } from 'fastify';
import type { AccessLog } from '@app/logging';

/**
 * Logs one line for each request but health checks. It names the route, not the address: an address may hold what a
 * caller put there.
 */
export function addAccessLog(server: FastifyInstance, log: AccessLog): void {
  server.addHook('onResponse', (request, reply, done) => {
    if (request.url.startsWith('/health/')) return done();
    log.write({
      requestId: request.id,
      customerId: request.customer?.customerId,
      tokenId: request.customer?.tokenId,
      method: request.method,
      route: request.routeOptions.url,
      status: reply.statusCode,
      durationMs: reply.elapsedTime,
    });
    done();
  });
}
