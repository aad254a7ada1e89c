import type { FastifyInstance, FastifyReply } from 'fastify';
import { ServiceError } from '@platform/errors';
import { networkOf } from '@platform/http';
import {
  afterCount,
  type RateLimitState,
  type RateLimitStorageService,
  showRateLimit,
} from './rate-limit-storage.service';

/**
 * Limits the requests of one network address, valid token or not: against guessing, flooding, scanning. Counts before
 * anything else looks at a request, health checks too: anyone can ask for them. The reply shows this limit until a customer's
 * limit replaces it. @param limit requests per minute
 */
export function limitAddresses(server: FastifyInstance, storage: RateLimitStorageService, limit: number): void {
  server.addHook('onRequest', (request, reply, done) => {
    const counted = storage.count(`address:${networkOf(request)}`, limit);
    const enforced = afterCount(counted, (state) => enforce(state, reply));
    if (enforced) enforced.then(() => done(), done);
    else done();
  });
}

/** @throws ServiceError rate_limited */
function enforce(state: RateLimitState, reply: FastifyReply): void {
  showRateLimit(reply, state);
  if (!state.isBlocked) return;
  const seconds = state.timeToBlockExpire;
  throw new ServiceError('rate_limited', `Too many requests from your address; try again in ${seconds} s`, {
    retryAfterSeconds: seconds,
  });
}
