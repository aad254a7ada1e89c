import type { FastifyInstance } from 'fastify';
import type { RootLogger } from '@app/logging';

/**
 * Logs one line for each request but health checks. It names the route, not the address: an address may hold what a
 * caller put there.
 */
export function addAccessLog(server: FastifyInstance, logger: RootLogger): void {
  if (!logger.isLevelEnabled('info')) return;
  server.addHook('onResponse', (request, reply, done) => {
    if (request.url.startsWith('/health/')) return done();
    logger.info(
      {
        request_id: request.id,
        customer_id: request.customer?.customerId,
        token_id: request.customer?.tokenId,
        method: request.method,
        route: request.routeOptions.url ?? null,
        status: reply.statusCode,
        duration_ms: Math.round(reply.elapsedTime * 10) / 10,
      },
      'request',
    );
    done();
  });
}
