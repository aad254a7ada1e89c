import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { ThrottlerStorage } from '@nestjs/throttler';
import { Redis } from 'ioredis';
import { RateLimiterMemory, RateLimiterRedis, type RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible';
import { AppConfig } from '@app/config';
import { ROOT_LOGGER, type RootLogger } from '@app/logging';

/** The window of every limit. */
export const MINUTE_MS = 60_000;
const REDIS_PATIENCE_MS = 250;
/** Counting goes on past any limit; whether a count is too high is decided by who asks. */
const UNLIMITED = Number.MAX_SAFE_INTEGER;

/**
 * Counts requests in windows of a minute: in this process, or in Redis/Valkey when `REDIS_URL` is set, so that replicas
 * share one count. While Redis is away the service goes on with counts of its own, and `degraded` says so.
 */
@Injectable()
export class RateLimitStorage implements ThrottlerStorage, OnApplicationShutdown {
  private readonly redis?: Redis;
  private readonly counter: RateLimiterAbstract;

  constructor(config: AppConfig, @Inject(ROOT_LOGGER) logger: RootLogger) {
    const window = { points: UNLIMITED, duration: MINUTE_MS / 1000 };
    const local = new RateLimiterMemory({ ...window, keyPrefix: 'local' });
    if (!config.REDIS_URL) {
      this.counter = local;
      return;
    }
    this.redis = new Redis(config.REDIS_URL, {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      commandTimeout: REDIS_PATIENCE_MS,
      retryStrategy: (attempt) => Math.min(attempt * 100, 2000),
    });
    let away = false;
    this.redis.on('error', (error: Error) => {
      if (!away) logger.warn({ err: error }, 'Redis is away; rate limits are counted per process until it is back');
      away = true;
    });
    this.redis.on('ready', () => (away = false));
    this.counter = new RateLimiterRedis({
      ...window,
      storeClient: this.redis,
      keyPrefix: 'rate',
      rejectIfRedisNotReady: true,
      insuranceLimiter: local,
    });
  }

  /** Whether counts that should be shared are not, at present. */
  get degraded(): boolean {
    return this.redis !== undefined && this.redis.status !== 'ready';
  }

  /** Counts a request. The shape of the answer is the throttler's; times are in seconds. */
  async increment(key: string, _ttl: number, limit: number) {
    const { totalHits, resetSeconds } = await this.count(key);
    const isBlocked = totalHits > limit;
    return { totalHits, timeToExpire: resetSeconds, isBlocked, timeToBlockExpire: isBlocked ? resetSeconds : 0 };
  }

  /** Counts a request, and says how many there were in this window and when it ends. */
  async count(key: string): Promise<{ totalHits: number; resetSeconds: number }> {
    const counted = await this.counter.consume(key).catch((refused: unknown) => {
      if (refused instanceof RateLimiterRes) return refused;
      throw refused;
    });
    return { totalHits: counted.consumedPoints, resetSeconds: Math.max(1, Math.ceil(counted.msBeforeNext / 1000)) };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.redis?.quit().catch(() => this.redis?.disconnect());
  }
}
