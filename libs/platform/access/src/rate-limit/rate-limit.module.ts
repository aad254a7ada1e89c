import { Module } from '@nestjs/common';
import { ThrottlerModule } from '@nestjs/throttler';
import { AppConfig } from '@platform/config';
import { isPublic } from '../decorators/public.decorator';
import { AddressLimit } from './address-limit';
import { limitOf } from './customer-limits';
import { MINUTE_MS, RateLimitStorageService } from './rate-limit-storage.service';

/** The storage in a separate module, because the throttler's options need it. */
@Module({ providers: [RateLimitStorageService], exports: [RateLimitStorageService] })
class RateLimitStorageModule {}

/** Limits per network address, and Nest's throttler with limits per customer. */
@Module({
  imports: [
    RateLimitStorageModule,
    ThrottlerModule.forRootAsync({
      imports: [RateLimitStorageModule],
      inject: [AppConfig, RateLimitStorageService],
      useFactory: (config: AppConfig, storage: RateLimitStorageService) => ({
        storage,
        skipIf: isPublic,
        // One throttler: each one costs every request a look-up of the route's metadata. The guard adds the tighter
        // limits.
        throttlers: [{ name: 'requests', ttl: MINUTE_MS, limit: (context) => limitOf(context, 'requests', config) }],
      }),
    }),
  ],
  providers: [AddressLimit],
  exports: [AddressLimit, ThrottlerModule, RateLimitStorageModule],
})
export class RateLimitModule {}
