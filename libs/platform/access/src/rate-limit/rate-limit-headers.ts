import type { FastifyReply } from 'fastify';

/** State of a limit. */
export interface RateLimitState {
  limit: number;
  /** Requests in this window, this one included. */
  totalHits: number;
  /** Seconds until the window ends. */
  timeToExpire: number;
}

/** Number of further requests that the limit allows. */
export function remainingOf({ limit, totalHits }: RateLimitState): number {
  return Math.max(0, limit - totalHits);
}

/** Shows a limit in the headers of the reply, replacing one that was shown before. */
export function showRateLimit(reply: FastifyReply, state: RateLimitState): void {
  reply.header('x-ratelimit-limit', state.limit);
  reply.header('x-ratelimit-remaining', remainingOf(state));
  reply.header('x-ratelimit-reset', state.timeToExpire);
}
