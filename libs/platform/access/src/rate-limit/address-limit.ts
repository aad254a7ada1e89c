import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppConfig } from '@platform/config';
import { ServiceError } from '@platform/errors';
import { showRateLimit } from './rate-limit-headers';
import type { RequestCount } from './request-count';
import { RateLimitStorage } from './rate-limit-storage';

/** Limits what one network address may try before it has shown a token: guessing, flooding, scanning. */
@Injectable()
export class AddressLimit {
  private readonly limit: number;

  constructor(
    private readonly storage: RateLimitStorage,
    config: AppConfig,
  ) {
    this.limit = config.RATE_LIMIT_ADDRESS_PER_MINUTE;
  }

  /** Counts a request, and shows the limit in its reply until a customer's own takes its place. @throws ServiceError rate_limited */
  check(request: FastifyRequest, reply: FastifyReply): void | Promise<void> {
    const counted = this.storage.count(`address:${network(request.ip)}`);
    return counted instanceof Promise
      ? counted.then((count) => this.enforce(count, reply))
      : this.enforce(counted, reply);
  }

  private enforce({ totalHits, resetSeconds }: RequestCount, reply: FastifyReply): void {
    showRateLimit(reply, { limit: this.limit, remaining: Math.max(0, this.limit - totalHits), resetSeconds });
    if (totalHits <= this.limit) return;
    throw new ServiceError('rate_limited', `Too many requests from your address; try again in ${resetSeconds} s`, {
      retryAfterSeconds: resetSeconds,
    });
  }
}

/** One IPv6 customer has a whole /64, so that is what counts as an address. */
function network(ip: string): string {
  if (!ip.includes(':') || ip.startsWith('::ffff:')) return ip;
  const [head = '', tail] = ip.split('::', 2);
  const groups = head.split(':').filter(Boolean);
  if (tail === undefined) return groups.slice(0, 4).join(':');
  const rest = tail.split(':').filter(Boolean);
  const zeros = Math.max(0, 8 - groups.length - rest.length);
  return [...groups, ...Array<string>(zeros).fill('0'), ...rest].slice(0, 4).join(':');
}
