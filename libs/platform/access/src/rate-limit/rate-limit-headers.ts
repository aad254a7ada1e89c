import type { ThrottlerStorage } from '@nestjs/throttler';
import type { FastifyReply } from 'fastify';

/** State of a limit after a request was counted; times in seconds. */
export interface RateLimitState extends Awaited<ReturnType<ThrottlerStorage['increment']>> {
  limit: number;
}

/** Number of further requests that the limit allows. */
export function remainingOf({ limit, totalHits }: Pick<RateLimitState, 'limit' | 'totalHits'>): number {
  return Math.max(0, limit - totalHits);
}

/** Shows a limit in the headers of the reply, replacing one that was shown before. */
export function showRateLimit(
  reply: FastifyReply,
  state: Pick<RateLimitState, 'limit' | 'totalHits' | 'timeToExpire'>,
): void {
  reply.header('x-ratelimit-limit', state.limit);
  reply.header('x-ratelimit-remaining', remainingOf(state));
  reply.header('x-ratelimit-reset', state.timeToExpire);
}
