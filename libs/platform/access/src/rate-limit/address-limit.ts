import { Injectable } from '@nestjs/common';
import { normalizeIp } from '@nestjs/throttler';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppConfig } from '@platform/config';
import { ServiceError } from '@platform/errors';
import { type RateLimitState, showRateLimit } from './rate-limit-headers';
import { RateLimitStorageService } from './rate-limit-storage.service';

/** Limits the requests of one network address, valid token or not: against guessing, flooding, scanning. */
@Injectable()
export class AddressLimit {
  private readonly limit: number;

  constructor(
    private readonly storage: RateLimitStorageService,
    config: AppConfig,
  ) {
    this.limit = config.RATE_LIMIT_ADDRESS_PER_MINUTE;
  }

  /**
   * Counts a request, and shows the limit in its reply until a customer's limit replaces it; at once, unless the count is
   * shared. IPv6 addresses count by their /64 prefix, which one customer controls. @throws ServiceError rate_limited
   */
  check(request: FastifyRequest, reply: FastifyReply): void | Promise<void> {
    const counted = this.storage.count(`address:${normalizeIp(request.ip)}`, this.limit);
    return counted instanceof Promise ? counted.then((state) => enforce(state, reply)) : enforce(counted, reply);
  }
}

function enforce(state: RateLimitState, reply: FastifyReply): void {
  showRateLimit(reply, state);
  if (!state.isBlocked) return;
  const seconds = state.timeToBlockExpire;
  throw new ServiceError('rate_limited', `Too many requests from your address; try again in ${seconds} s`, {
    retryAfterSeconds: seconds,
  });
}
