import { Module } from '@nestjs/common';
import { ThrottlerModule } from '@nestjs/throttler';
import { AppConfig } from '@platform/config';
import { AddressLimit } from './address-limit';
import { MINUTE_MS, RateLimitStorage } from './rate-limit-storage';
import { RateLimitStorageModule } from './rate-limit-storage.module';

/**
 * Limits per customer, all routes together, and tighter ones for routes that send something. Nest's throttler asks;
 * counting, keys and headers are ours: its own count per route and address, and take much of the throughput.
 */
@Module({
  imports: [
    RateLimitStorageModule,
    ThrottlerModule.forRootAsync({
      imports: [RateLimitStorageModule],
      inject: [AppConfig, RateLimitStorage],
      useFactory: (config: AppConfig, storage: RateLimitStorage) => ({
        storage,
        // One entry: each costs every request a walk through the route's metadata. The guard knows the tighter limits.
        throttlers: [{ ttl: MINUTE_MS, limit: config.RATE_LIMIT_REQUESTS_PER_MINUTE }],
      }),
    }),
  ],
  providers: [AddressLimit],
  exports: [AddressLimit, ThrottlerModule, RateLimitStorageModule],
})
export class RateLimitModule {}
