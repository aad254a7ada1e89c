import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { RateLimitStorageService } from '@platform/access';
import { AppConfig } from '@platform/config';
import { ServiceError } from '@platform/errors';
import { networkOf } from '@platform/http';

/** Limits the logins that an address may try. */
@Injectable()
export class LoginLimitGuard implements CanActivate {
  constructor(
    private readonly storage: RateLimitStorageService,
    private readonly config: AppConfig,
  ) {}

  async canActivate(context: ExecutionContext): Promise<true> {
    const request = context.getArgByIndex<FastifyRequest>(0);
    const limit = this.config.OPERATOR_LOGIN_ATTEMPTS_PER_MINUTE;
    const { isBlocked, timeToBlockExpire } = await this.storage.count(`login:${networkOf(request)}`, limit);
    if (!isBlocked) return true;
    throw new ServiceError('rate_limited', `Too many logins from your address; try again in ${timeToBlockExpire} s`, {
      retryAfterSeconds: timeToBlockExpire,
    });
  }
}
