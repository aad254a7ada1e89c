import { Inject, Injectable } from '@nestjs/common';
import { ThrottlerGuard, type ThrottlerRequest } from '@nestjs/throttler';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppConfig } from '@app/config';
import { ServiceError } from '@app/errors';
import type { AuthenticatedCustomer } from '../authenticated-customer';
import { type RateLimitState, showRateLimit } from './rate-limit-headers';
import { rateLimitedAs } from './rate-limit-as.decorator';

type LimitName = 'requests' | 'ai' | 'sms';

/**
 * Limits a customer's requests, all its tokens and routes together, and tighter those that send something. The reply
 * shows the limit that is nearest to being reached; a refused request shows the one that refused it.
 */
@Injectable()
export class CustomerRateLimitGuard extends ThrottlerGuard {
  /** Injected by property: the constructor is the throttler's own. */
  @Inject(AppConfig) private readonly config!: AppConfig;

  protected override async handleRequest({ context, ttl, limit }: ThrottlerRequest): Promise<boolean> {
    const http = context.switchToHttp();
    const { customer } = http.getRequest<FastifyRequest>();
    if (!customer) return true;
    const reply = http.getResponse<FastifyReply>();
    const all = await this.count(customer, 'requests', limit, ttl, reply);
    const kind = rateLimitedAs(context.getHandler());
    const tighter = kind && (await this.count(customer, kind, this.standardOf(kind), ttl, reply));
    showRateLimit(reply, tighter && tighter.remaining < all.remaining ? tighter : all);
    return true;
  }

  private async count(
    customer: AuthenticatedCustomer,
    name: LimitName,
    standard: number,
    ttl: number,
    reply: FastifyReply,
  ): Promise<RateLimitState> {
    const limit = customer.limits[name] ?? standard;
    const key = `${name}:${customer.customerId}`;
    const { totalHits, timeToExpire, isBlocked } = await this.storageService.increment(key, ttl, limit, ttl, name);
    const state = { limit, remaining: Math.max(0, limit - totalHits), resetSeconds: timeToExpire };
    if (!isBlocked) return state;
    showRateLimit(reply, state);
    throw new ServiceError('rate_limited', `At most ${limit} requests a minute; try again in ${timeToExpire} s`, {
      retryAfterSeconds: timeToExpire,
    });
  }

  private standardOf(kind: 'ai' | 'sms'): number {
    return kind === 'ai' ? this.config.RATE_LIMIT_AI_PER_MINUTE : this.config.RATE_LIMIT_SMS_PER_MINUTE;
  }
}
