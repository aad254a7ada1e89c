import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { RootLogger } from '@platform/logging';
import { type RequestCount, requestCount } from './request-count';

/** Longer than this, and a request is counted here instead. */
const PATIENCE_MS = 250;
/** How often a Redis that did not answer is asked whether it does again. */
const PROBE_EVERY_MS = 500;
/** How long a starting process waits for its first connection: what it counts before is not shared. */
const START_PATIENCE_MS = 1000;
/** Counting goes on past any limit; whether a count is too high is decided by who asks. */
const UNLIMITED = Number.MAX_SAFE_INTEGER;

/**
 * Counts in Redis or Valkey, shared by all replicas. It knows when Redis does not answer, so that no request waits for it
 * in vain: a Redis that hangs keeps its connections open.
 */
export class SharedCounts {
  private readonly redis: Redis;
  private readonly counter: RateLimiterRedis;
  private answering = true;
  private stopped = false;

  constructor(
    url: string,
    windowMs: number,
    private readonly logger: RootLogger,
  ) {
    this.redis = new Redis(url, {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      commandTimeout: PATIENCE_MS,
      retryStrategy: (attempt) => Math.min(attempt * 100, 2000),
    });
    this.redis.on('error', (error: Error) => this.lost(error));
    // A Redis that ends politely, and is back before anyone tries, raises no error.
    this.redis.on('close', () => this.lost(new Error('Redis closed the connection')));
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
    return this.answering && this.redis.status === 'ready';
  }

  /** Waits for the first connection, but not for long. */
  async start(): Promise<void> {
    const connected = once(this.redis, 'ready').catch(() => undefined);
    await Promise.race([connected, wait(START_PATIENCE_MS, undefined, { ref: false })]);
  }

  /** Counts a request. @throws when Redis does not answer in time. */
  async count(key: string): Promise<RequestCount> {
    const counted = await this.counter.consume(key).catch((refused: unknown) => {
      if (refused instanceof RateLimiterRes) return refused;
      this.lost(refused as Error);
      throw refused;
    });
    return requestCount(counted.consumedPoints, counted.msBeforeNext);
  }

  /** Closes the connection. */
  async stop(): Promise<void> {
    this.stopped = true;
    await this.redis.quit().catch(() => this.redis.disconnect());
  }

  private lost(error: Error): void {
    if (!this.answering || this.stopped) return;
    this.answering = false;
    this.logger.warn({ err: error }, 'Redis is away; rate limits are counted per process until it is back');
    void this.awaitReturn();
  }

  private async awaitReturn(): Promise<void> {
    for (;;) {
      await wait(PROBE_EVERY_MS, undefined, { ref: false });
      if (this.stopped) return;
      this.answering = await this.redis.ping().then(
        () => true,
        () => false,
      );
      if (this.answering) break;
    }
    this.logger.info('Redis is back; rate limits are shared again');
  }
}
