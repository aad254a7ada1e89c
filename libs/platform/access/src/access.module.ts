import { Module } from '@nestjs/common';
import { ThrottlerModule } from '@nestjs/throttler';
import { AppConfig } from '@platform/config';
import { TokensModule } from '@platform/tokens';
import type { LimitName } from './rate-limit.guard';
import { MINUTE_MS, RateLimitStorageService } from './rate-limit-storage.service';

/** The storage in a separate module, because the throttler's options need it. */
@Module({ providers: [RateLimitStorageService], exports: [RateLimitStorageService] })
class RateLimitStorageModule {}

/** A customer's limits, unless the operator has set others. */
const perMinute = (name: LimitName, limit: number) => ({ name, limit, ttl: MINUTE_MS });

/** Providers of the global guards: authentication, and Nest's throttler. */
@Module({
  imports: [
    RateLimitStorageModule,
    TokensModule,
    ThrottlerModule.forRootAsync({
      imports: [RateLimitStorageModule],
      inject: [AppConfig, RateLimitStorageService],
      useFactory: (config: AppConfig, storage: RateLimitStorageService) => ({
        storage,
        throttlers: [
          perMinute('requests', config.RATE_LIMIT_REQUESTS_PER_MINUTE),
          perMinute('ai', config.RATE_LIMIT_AI_PER_MINUTE),
          perMinute('sms', config.RATE_LIMIT_SMS_PER_MINUTE),
        ],
      }),
    }),
  ],
  exports: [RateLimitStorageModule, ThrottlerModule, TokensModule],
})
export class AccessModule {}
