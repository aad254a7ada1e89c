import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppConfig } from '@platform/config';
import { ServiceError } from '@platform/errors';
import type { AuthenticatedCustomer } from '@platform/tokens';
import { isPublic } from '../decorators/public.decorator';
import { type LimitName, limitOf } from './customer-limits';
import { rateLimitedAs } from './rate-limit-as.decorator';
import { type RateLimitState, remainingOf, showRateLimit } from './rate-limit-headers';
import { RateLimitStorageService } from './rate-limit-storage.service';

/**
 * Limits a customer's requests, all its tokens and routes together, with tighter limits for AI messages and SMS. The
 * reply shows the limit with the fewest remaining requests; a refusal shows the limit that refused it. Not Nest's throttler:
 * its look-ups of each route's metadata and its promises cost every request more than the counting.
 */
@Injectable()
export class CustomerRateLimitGuard implements CanActivate {
  constructor(
    private readonly storage: RateLimitStorageService,
    private readonly config: AppConfig,
  ) {}

  /** Counts a request for the customer's general limit, then for the tighter limit of its route, if there is one. */
  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    if (isPublic(context)) return true;
    const http = context.switchToHttp();
    const { customer } = http.getRequest<FastifyRequest>();
    if (!customer) throw new Error('The bearer guard must run first');
    const reply = http.getResponse<FastifyReply>();
    const kind = rateLimitedAs(context.getHandler());
    return whenKnown(this.count(customer, 'requests', reply), (general) => {
      if (!kind) return show(reply, general);
      return whenKnown(this.count(customer, kind, reply), (tighter) =>
        show(reply, remainingOf(tighter) < remainingOf(general) ? tighter : general),
      );
    });
  }

  /** @throws ServiceError rate_limited */
  private count(customer: AuthenticatedCustomer, name: LimitName, reply: FastifyReply): Known<RateLimitState> {
    const counted = this.storage.count(`${name}:${customer.customerId}`, limitOf(customer, name, this.config));
    return whenKnown(counted, (state) => {
      if (state.isBlocked) throw refused(reply, state);
      return state;
    });
  }
}

/** Known at once, unless the count is shared. */
type Known<T> = T | Promise<T>;

function whenKnown<T, R>(value: Known<T>, next: (value: T) => Known<R>): Known<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}

function show(reply: FastifyReply, state: RateLimitState): true {
  showRateLimit(reply, state);
  return true;
}

function refused(reply: FastifyReply, state: RateLimitState): ServiceError {
  showRateLimit(reply, state);
  const { limit, timeToBlockExpire: seconds } = state;
  return new ServiceError('rate_limited', `At most ${limit} requests a minute; try again in ${seconds} s`, {
    retryAfterSeconds: seconds,
  });
}
