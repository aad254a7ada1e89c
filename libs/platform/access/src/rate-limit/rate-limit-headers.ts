import type { FastifyReply } from 'fastify';

/** How near a caller is to a limit. */
export interface RateLimitState {
  limit: number;
  remaining: number;
  resetSeconds: number;
}

/** Shows a limit in the reply's headers. The last one shown counts. */
export function showRateLimit(reply: FastifyReply, { limit, remaining, resetSeconds }: RateLimitState): void {
  reply.header('x-ratelimit-limit', limit);
  reply.header('x-ratelimit-remaining', remaining);
  reply.header('x-ratelimit-reset', resetSeconds);
}
