import { type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { ThrottlerGuard } from '@nestjs/throttler';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppConfig } from '@platform/config';
import { ServiceError } from '@platform/errors';
import type { AuthenticatedCustomer } from '@platform/tokens';
import { type RateLimitState, showRateLimit } from './rate-limit-headers';
import type { RequestCount } from './request-count';
import { RateLimitStorage } from './rate-limit-storage';
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
  @Inject(RateLimitStorage) private readonly counts!: RateLimitStorage;

  /** Every route is under the same limit, so the route's metadata, which the throttler reads each time, has no say. */
  override canActivate(context: ExecutionContext): Promise<boolean> {
    // Nest takes a plain boolean as well and then waits for nothing; the throttler's type does not say so.
    return this.check(context) as Promise<boolean>;
  }

  private check(context: ExecutionContext): boolean | Promise<boolean> {
    const http = context.switchToHttp();
    const { customer } = http.getRequest<FastifyRequest>();
    if (!customer) return true;
    const reply = http.getResponse<FastifyReply>();
    const kind = rateLimitedAs(context.getHandler());
    const all = this.count(customer, 'requests', this.config.RATE_LIMIT_REQUESTS_PER_MINUTE, reply);
    if (kind) return this.checkBoth(all, () => this.count(customer, kind, this.standardOf(kind), reply), reply);
    if (all instanceof Promise) return all.then((state) => showRateLimit(reply, state)).then(() => true);
    showRateLimit(reply, all);
    return true;
  }

  private async checkBoth(
    all: RateLimitState | Promise<RateLimitState>,
    countTighter: () => RateLimitState | Promise<RateLimitState>,
    reply: FastifyReply,
  ): Promise<boolean> {
    const general = await all;
    const tighter = await countTighter();
    showRateLimit(reply, tighter.remaining < general.remaining ? tighter : general);
    return true;
  }

  private count(
    customer: AuthenticatedCustomer,
    name: LimitName,
    standard: number,
    reply: FastifyReply,
  ): RateLimitState | Promise<RateLimitState> {
    const limit = customer.limits[name] ?? standard;
    const counted = this.counts.count(`${name}:${customer.customerId}`);
    return counted instanceof Promise
      ? counted.then((count) => enforce(limit, count, reply))
      : enforce(limit, counted, reply);
  }

  private standardOf(kind: 'ai' | 'sms'): number {
    return kind === 'ai' ? this.config.RATE_LIMIT_AI_PER_MINUTE : this.config.RATE_LIMIT_SMS_PER_MINUTE;
  }
}

function enforce(limit: number, { totalHits, resetSeconds }: RequestCount, reply: FastifyReply): RateLimitState {
  const state = { limit, remaining: Math.max(0, limit - totalHits), resetSeconds };
  if (totalHits <= limit) return state;
  showRateLimit(reply, state);
  throw new ServiceError('rate_limited', `At most ${limit} requests a minute; try again in ${resetSeconds} s`, {
    retryAfterSeconds: resetSeconds,
  });
}
