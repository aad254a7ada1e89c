import { type ExecutionContext, Injectable } from '@nestjs/common';
import { ThrottlerGuard, type ThrottlerRequest } from '@nestjs/throttler';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '@app/errors';
import { type RateLimitState, showRateLimit } from './rate-limit-headers';
import { rateLimitedAs } from './rate-limit-as.decorator';

const STATE = Symbol('rate limit');

/**
 * Limits a customer's requests, all its tokens and routes together. The reply shows the limit that is nearest to being
 * reached; a refused request shows the one that refused it.
 */
@Injectable()
export class CustomerRateLimitGuard extends ThrottlerGuard {
  protected override shouldSkip(context: ExecutionContext): Promise<boolean> {
    return Promise.resolve(context.switchToHttp().getRequest<FastifyRequest>().customer === undefined);
  }

  protected override async handleRequest({
    context,
    throttler,
    limit: standard,
    ttl,
  }: ThrottlerRequest): Promise<boolean> {
    const name = throttler.name as 'requests' | 'ai' | 'sms';
    if (name !== 'requests' && name !== rateLimitedAs(context.getHandler())) return true;
    const http = context.switchToHttp();
    const { customer } = http.getRequest<FastifyRequest>();
    if (!customer) return true;
    const limit = customer.limits[name] ?? standard;
    const key = `${name}:${customer.customerId}`;
    const { totalHits, timeToExpire, isBlocked } = await this.storageService.increment(key, ttl, limit, ttl, name);
    const state = { limit, remaining: Math.max(0, limit - totalHits), resetSeconds: timeToExpire };
    this.showNearest(http.getResponse<FastifyReply & { [STATE]?: RateLimitState }>(), state, isBlocked);
    if (!isBlocked) return true;
    throw new ServiceError('rate_limited', `At most ${limit} requests a minute; try again in ${timeToExpire} s`, {
      retryAfterSeconds: timeToExpire,
    });
  }

  private showNearest(
    reply: FastifyReply & { [STATE]?: RateLimitState },
    state: RateLimitState,
    isBlocked: boolean,
  ): void {
    const shown = reply[STATE];
    if (shown && !isBlocked && shown.remaining <= state.remaining) return;
    reply[STATE] = state;
    showRateLimit(reply, state);
  }
}
