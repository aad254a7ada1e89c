import { type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { ThrottlerGuard, type ThrottlerLimitDetail, type ThrottlerRequest } from '@nestjs/throttler';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppConfig } from '@platform/config';
import { ServiceError } from '@platform/errors';
import { type LimitName, limitOf } from './customer-limits';
import { rateLimitedAs } from './rate-limit-as.decorator';
import { type RateLimitState, remainingOf, showRateLimit } from './rate-limit-headers';
import type { RateLimitStorageService } from './rate-limit-storage.service';
import { RememberingReflector } from './remembering-reflector';

/**
 * Limits a customer's requests, all its tokens and routes together, with tighter limits for AI messages and SMS. The
 * reply shows the limit with the fewest remaining requests; a refusal shows the limit that refused it.
 */
@Injectable()
export class CustomerRateLimitGuard extends ThrottlerGuard {
  /** The parent looks a dozen metadata of the route up for every request. */
  protected override readonly reflector = new RememberingReflector();

  /** Injected by property: the constructor belongs to ThrottlerGuard. */
  @Inject(AppConfig) private readonly config!: AppConfig;
  /** The storage of the module's options: the parent knows only its interface. */
  declare protected readonly storageService: RateLimitStorageService;

  /** All tokens of a customer count together. */
  protected override getTracker({ customer }: FastifyRequest): Promise<string> {
    if (!customer) throw new Error('The bearer guard must run first');
    return Promise.resolve(customer.customerId);
  }

  /** All routes count together. */
  protected override generateKey(_context: ExecutionContext, customerId: string, name: string): string {
    return `${name}:${customerId}`;
  }

  /** Counts a request for the customer's general limit, then for the tighter limit of its route, if there is one. */
  protected override async handleRequest(request: ThrottlerRequest): Promise<boolean> {
    const { context, limit } = request;
    const http = context.switchToHttp();
    const tracker = await request.getTracker(http.getRequest<FastifyRequest>(), context);
    let nearest = await this.count(request, tracker, 'requests', limit);
    const kind = rateLimitedAs(context.getHandler());
    if (kind) {
      const tighter = await this.count(request, tracker, kind, limitOf(context, kind, this.config));
      if (remainingOf(tighter) < remainingOf(nearest)) nearest = tighter;
    }
    showRateLimit(http.getResponse<FastifyReply>(), nearest);
    return true;
  }

  protected override throwThrottlingException(context: ExecutionContext, detail: ThrottlerLimitDetail): Promise<void> {
    showRateLimit(replyOf(context), detail);
    const { limit, timeToBlockExpire: seconds } = detail;
    throw new ServiceError('rate_limited', `At most ${limit} requests a minute; try again in ${seconds} s`, {
      retryAfterSeconds: seconds,
    });
  }

  private async count(
    { context, ttl, generateKey }: ThrottlerRequest,
    tracker: string,
    name: LimitName,
    limit: number,
  ): Promise<RateLimitState> {
    const key = generateKey(context, tracker, name);
    const state = await this.storageService.increment(key, ttl, limit);
    if (state.isBlocked) await this.throwThrottlingException(context, { ...state, ttl, key, tracker });
    return state;
  }
}

function replyOf(context: ExecutionContext): FastifyReply {
  return context.switchToHttp().getResponse<FastifyReply>();
}
