import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';

/**
 * The queue that a request may have to wait in, apart from the event loop: the shared connections for reads, those for
 * writes, or the ledger of AI credit.
 */
export type Queue = 'reads' | 'writes' | 'ledger';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The queue of the route's requests. */
    queue?: Queue;
  }
}

/** Sets the queue of a route's requests. The default is `reads` for GET and HEAD, `writes` for other methods. */
export const WaitsFor = (queue: Queue) => RouteConfig({ queue });

/** The queue of a request. */
export function queueOf({ method, routeOptions }: FastifyRequest): Queue {
  return routeOptions.config.queue ?? (method === 'GET' || method === 'HEAD' ? 'reads' : 'writes');
}
