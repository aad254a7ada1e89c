import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { ThrottlerStorage } from '@nestjs/throttler';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { AppConfig } from '@platform/config';
import { SharedRedis } from './shared-redis';

/** The window of every limit. A window begins with the first request after the last one ended. */
export const MINUTE_MS = 60_000;

/** The shared counter has no limit of its own: limits differ between customers and are compared here. */
const SHARED = { points: Number.MAX_SAFE_INTEGER, duration: MINUTE_MS / 1000, keyPrefix: 'rate' };

/** State of a limit after a request was counted; times in seconds. */
export interface RateLimitState extends Awaited<ReturnType<ThrottlerStorage['increment']>> {
  limit: number;
  /** Number of further requests that the limit allows. */
  remaining: number;
  /** The end of its window, on the clock of `performance.now()`, in milliseconds. */
  endsAt: number;
  /** Whether it was counted in Redis. */
  isShared: boolean;
}

/** Requests of one key in its present window. */
interface CountWindow {
  hits: number;
  /** On the clock of `performance.now()`, in milliseconds. */
  readonly endsAt: number;
}

/**
 * Counts requests in windows of a minute: in this process, or in Redis/Valkey if `REDIS_URL` is set, so that replicas
 * share one count. While Redis is unavailable or refuses, each process counts by itself, and `degraded` is true.
 */
@Injectable()
export class RateLimitStorageService implements ThrottlerStorage, OnModuleInit, OnApplicationShutdown {
  /** The counts of this process. All windows have one length, so the order of insertion is the order in which they end. */
  private readonly windows = new Map<string, CountWindow>();
  private shared?: RateLimiterRedis;
  private redis?: SharedRedis;
  private opening?: Promise<void>;

  constructor(private readonly config: AppConfig) {}

  /** Whether counts that should be shared are not shared at present. */
  get degraded(): boolean {
    return this.redis !== undefined && !this.redis.ready;
  }

  /** Number of keys that this process counts. */
  get keys(): number {
    return this.windows.size;
  }

  /** Nest calls it twice: the throttler has the storage as its own, too. */
  onModuleInit(): Promise<void> {
    return (this.opening ??= this.open());
  }

  /** Counts a request and compares with the limit: at once, unless the count is shared. */
  count(key: string, limit: number): RateLimitState | Promise<RateLimitState> {
    return this.shared ? this.countShared(this.shared, key, limit) : this.countHere(key, limit);
  }

  /** Takes back a request, where it was counted. Nothing if its window has ended: the next one does not have it. */
  giveBack(key: string, { endsAt, isShared }: Pick<RateLimitState, 'endsAt' | 'isShared'>): void {
    if (isShared) {
      if (performance.now() >= endsAt) return;
      this.shared?.reward(key).catch((error: unknown) => this.redis?.failed(error));
      return;
    }
    const window = this.windows.get(key);
    if (window?.endsAt === endsAt) window.hits--;
  }

  /** The same as the throttler's interface has it; the window is always a minute. */
  async increment(key: string, _ttl: number, limit: number): Promise<RateLimitState> {
    return this.count(key, limit);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.redis?.stop();
  }

  private async open(): Promise<void> {
    const { REDIS_URL } = this.config;
    if (!REDIS_URL) return;
    this.redis = await SharedRedis.open(REDIS_URL);
    this.shared = new RateLimiterRedis({ ...SHARED, storeClient: this.redis.client, rejectIfRedisNotReady: true });
    await this.redis.start();
  }

  private async countShared(shared: RateLimiterRedis, key: string, limit: number): Promise<RateLimitState> {
    try {
      const { consumedPoints: totalHits, msBeforeNext } = await shared.consume(key);
      this.redis?.stored();
      return stateOf({ totalHits, msBeforeNext, limit, endsAt: performance.now() + msBeforeNext, isShared: true });
    } catch (error) {
      this.redis?.failed(error);
      return this.countHere(key, limit);
    }
  }

  /** Synchronous and without timers: every request counts twice. */
  private countHere(key: string, limit: number): RateLimitState {
    const now = performance.now();
    let window = this.windows.get(key);
    if (!window || window.endsAt <= now) {
      this.forgetEnded(now);
      window = { hits: 0, endsAt: now + MINUTE_MS };
      this.windows.set(key, window);
    }
    // Whole milliseconds: subtracted, those of a window just begun would be a little more than its length.
    const { endsAt } = window;
    return stateOf({
      totalHits: ++window.hits,
      msBeforeNext: Math.round(endsAt - now),
      limit,
      endsAt,
      isShared: false,
    });
  }

  private forgetEnded(now: number): void {
    for (const [key, { endsAt }] of this.windows) {
      if (endsAt > now) return;
      this.windows.delete(key);
    }
  }
}

/** A count as it was made. */
type Count = Pick<RateLimitState, 'totalHits' | 'limit' | 'endsAt' | 'isShared'> & { msBeforeNext: number };

function stateOf({ totalHits, msBeforeNext, limit, endsAt, isShared }: Count): RateLimitState {
  const timeToExpire = Math.max(1, Math.ceil(msBeforeNext / 1000));
  const isBlocked = totalHits > limit;
  const remaining = Math.max(0, limit - totalHits);
  const timeToBlockExpire = isBlocked ? timeToExpire : 0;
  return { limit, totalHits, remaining, timeToExpire, isBlocked, timeToBlockExpire, endsAt, isShared };
}
