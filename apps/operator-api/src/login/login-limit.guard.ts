import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RateLimitStorageService } from '@platform/access';
import { AppConfig } from '@platform/config';
import { ServiceError } from '@platform/errors';
import { networkOf } from '@platform/http';
import { RequestPlacesService } from '../access/request-places.service';

/**
 * Limits the logins that an address may try, and those that are under way at once. Behind the guard that reads the body. Each of the two
 * requests of a login is counted by itself, so that the limit is one of logins.
 */
@Injectable()
export class LoginLimitGuard implements CanActivate {
  constructor(
    private readonly storage: RateLimitStorageService,
    private readonly places: RequestPlacesService,
    private readonly config: AppConfig,
  ) {}

  async canActivate(context: ExecutionContext): Promise<true> {
    const request = context.getArgByIndex<FastifyRequest>(0);
    const limit = this.config.OPERATOR_LOGIN_ATTEMPTS_PER_MINUTE;
    const { isBlocked, timeToBlockExpire } = await this.storage.count(
      `login:${request.routeOptions.url}:${networkOf(request)}`,
      limit,
    );
    if (!isBlocked) {
      await this.places.admitStranger(request, context.getArgByIndex<FastifyReply>(1));
      return true;
    }
    throw new ServiceError('rate_limited', `Too many logins from your address; try again in ${timeToBlockExpire} s`, {
      retryAfterSeconds: timeToBlockExpire,
    });
  }
}
