import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { ThrottlerStorage } from '@nestjs/throttler';
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible';
import { AppConfig } from '@platform/config';
import { ROOT_LOGGER, type RootLogger } from '@platform/logging';
import { SharedRedis } from './shared-redis';

/** The window of every limit. A window begins with the first request after the last one ended. */
export const MINUTE_MS = 60_000;

/** The counters have no limit of their own: limits differ between customers and are compared here. */
const COUNTER = { points: Number.MAX_SAFE_INTEGER, duration: MINUTE_MS / 1000, keyPrefix: 'rate' };

/**
 * Counts requests in windows of a minute: in this process, or in Redis/Valkey if `REDIS_URL` is set, so that replicas
 * share one count. While Redis is unavailable, each process counts by itself, and `degraded` is true.
 */
@Injectable()
export class RateLimitStorageService implements ThrottlerStorage, OnModuleInit, OnApplicationShutdown {
  private readonly counter: RateLimiterAbstract;
  private readonly redis?: SharedRedis;

  constructor({ REDIS_URL }: AppConfig, @Inject(ROOT_LOGGER) logger: RootLogger) {
    const local = new RateLimiterMemory(COUNTER);
    this.redis = REDIS_URL ? new SharedRedis(REDIS_URL, logger) : undefined;
    this.counter = this.redis
      ? new RateLimiterRedis({
          ...COUNTER,
          storeClient: this.redis.client,
          rejectIfRedisNotReady: true,
          insuranceLimiter: local,
        })
      : local;
  }

  /** Whether counts that should be shared are not shared at present. */
  get degraded(): boolean {
    return this.redis !== undefined && !this.redis.ready;
  }

  async onModuleInit(): Promise<void> {
    await this.redis?.start();
  }

  /** Counts a request. @returns the requests in this window, and the seconds until it ends, at least one */
  async increment(key: string, _ttl: number, limit: number) {
    const { consumedPoints: totalHits, msBeforeNext } = await this.counter.consume(key);
    const timeToExpire = Math.max(1, Math.ceil(msBeforeNext / 1000));
    const isBlocked = totalHits > limit;
    return { totalHits, timeToExpire, isBlocked, timeToBlockExpire: isBlocked ? timeToExpire : 0 };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.redis?.stop();
  }
}
