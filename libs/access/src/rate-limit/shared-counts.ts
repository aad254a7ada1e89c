import { Redis } from 'ioredis';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { RootLogger } from '@app/logging';
import { type RequestCount, requestCount } from './request-count';

/** Longer than this, and a request is counted here instead. */
const PATIENCE_MS = 250;
/** Counting goes on past any limit; whether a count is too high is decided by who asks. */
const UNLIMITED = Number.MAX_SAFE_INTEGER;

/** Counts in Redis or Valkey, shared by all replicas. */
export class SharedCounts {
  private readonly redis: Redis;
  private readonly counter: RateLimiterRedis;

  constructor(url: string, windowMs: number, logger: RootLogger) {
    this.redis = new Redis(url, {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      commandTimeout: PATIENCE_MS,
      retryStrategy: (attempt) => Math.min(attempt * 100, 2000),
    });
    let away = false;
    this.redis.on('error', (error: Error) => {
      if (!away) logger.warn({ err: error }, 'Redis is away; rate limits are counted per process until it is back');
      away = true;
    });
    this.redis.on('ready', () => (away = false));
    this.counter = new RateLimiterRedis({
      points: UNLIMITED,
      duration: windowMs / 1000,
      storeClient: this.redis,
      keyPrefix: 'rate',
      rejectIfRedisNotReady: true,
    });
  }

  /** Whether Redis answers, as far as is known. */
  get ready(): boolean {
    return this.redis.status === 'ready';
  }

  /** Counts a request. @throws when Redis does not answer in time. */
  async count(key: string): Promise<RequestCount> {
    const counted = await this.counter.consume(key).catch((refused: unknown) => {
      if (refused instanceof RateLimiterRes) return refused;
      throw refused;
    });
    return requestCount(counted.consumedPoints, counted.msBeforeNext);
  }

  /** Closes the connection. */
  async stop(): Promise<void> {
    await this.redis.quit().catch(() => this.redis.disconnect());
  }
}
