import { Injectable } from '@nestjs/common';
import { normalizeIp } from '@nestjs/throttler';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppConfig } from '@platform/config';
import { ServiceError } from '@platform/errors';
import { showRateLimit } from './rate-limit-headers';
import { MINUTE_MS, RateLimitStorageService } from './rate-limit-storage.service';

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
   * Counts a request, and shows the limit in its reply until a customer's limit replaces it. IPv6 addresses count by
   * their /64 prefix, which one customer controls. @throws ServiceError rate_limited
   */
  async check(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const key = `address:${normalizeIp(request.ip)}`;
    const counted = await this.storage.increment(key, MINUTE_MS, this.limit);
    showRateLimit(reply, { limit: this.limit, ...counted });
    if (!counted.isBlocked) return;
    const seconds = counted.timeToBlockExpire;
    throw new ServiceError('rate_limited', `Too many requests from your address; try again in ${seconds} s`, {
      retryAfterSeconds: seconds,
    });
  }
}
