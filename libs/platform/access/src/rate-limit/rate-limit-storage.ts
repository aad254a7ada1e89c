import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { ThrottlerStorage } from '@nestjs/throttler';
import { AppConfig } from '@platform/config';
import { ROOT_LOGGER, type RootLogger } from '@platform/logging';
import { LocalCounts } from './local-counts';
import type { RequestCount } from './request-count';
import { SharedCounts } from './shared-counts';

/** The window of every limit. */
export const MINUTE_MS = 60_000;

/**
 * Counts requests in windows of a minute: in this process, or in Redis/Valkey when `REDIS_URL` is set, so that replicas
 * share one count. While Redis is away the service goes on with counts of its own, and `degraded` says so.
 */
@Injectable()
export class RateLimitStorage implements ThrottlerStorage, OnModuleInit, OnApplicationShutdown {
  private readonly local = new LocalCounts(MINUTE_MS);
  private readonly shared?: SharedCounts;

  constructor(config: AppConfig, @Inject(ROOT_LOGGER) logger: RootLogger) {
    if (config.REDIS_URL) this.shared = new SharedCounts(config.REDIS_URL, MINUTE_MS, logger);
  }

  /** Whether counts that should be shared are not, at present. */
  get degraded(): boolean {
    return this.shared !== undefined && !this.shared.ready;
  }

  async onModuleInit(): Promise<void> {
    await this.shared?.start();
  }

  /** Counts a request, and says how many there were in this window and when it ends; at once when counted here. */
  count(key: string): RequestCount | Promise<RequestCount> {
    if (!this.shared?.ready) return this.local.count(key);
    return this.shared.count(key).catch(() => this.local.count(key));
  }

  /** Counts a request. The shape of the answer is the throttler's; times are in seconds. */
  async increment(key: string, _ttl: number, limit: number) {
    const { totalHits, resetSeconds } = await this.count(key);
    const isBlocked = totalHits > limit;
    return { totalHits, timeToExpire: resetSeconds, isBlocked, timeToBlockExpire: isBlocked ? resetSeconds : 0 };
  }

  async onApplicationShutdown(): Promise<void> {
    this.local.stop();
    await this.shared?.stop();
  }
}
