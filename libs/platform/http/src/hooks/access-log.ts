import type { AccessLog } from '@platform/logging';
import type { EndedRequest } from './observe-requests';

/**
 * Logs one line for each request except health checks. It has the route, not the address: an address may contain a
 * caller's data.
 */
export function logRequests(log: AccessLog): (ended: EndedRequest) => void {
  return ({ request, status, durationMs, traceId }) => {
    if (request.url.startsWith('/health/')) return;
    log.write({
      requestId: request.id,
      customerId: request.customer?.customerId,
      tokenId: request.customer?.tokenId,
      method: request.method,
      route: request.routeOptions.url,
      status,
      durationMs,
      traceId,
    });
  };
}
